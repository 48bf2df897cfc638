import JSON
import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values

@testable import API

@Suite("Lists")
struct ListTests {
    private static let path = "/v1/stores/\(TestAPI.north)/toy/notes"

    private static func fill(_ api: TestAPI, _ count: Int) async throws {
        // Ten share a millisecond, five of them a microsecond: a cursor must tell them apart.
        _ = try await api.database.pool(.superuser, size: 1).query(
            """
            insert into sineta.audit (store_id, at, actor, act, subject)
            select $1, timestamptz '2026-11-30 12:00:00' + case when n <= 5 then '0'::interval
              when n <= 10 then n * interval '1 microsecond' else n * interval '1 second' end,
              'a', 'toy', n::text
            from generate_series(1, $2::bigint) n
            """, .id(TestAPI.north), .int(count), deadline: .after(.seconds(20)))
    }

    @Test("a walk gives every row once, whatever the page, and ends", arguments: [1, 2, 7, 200])
    func walk(_ size: Int) async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            try await Self.fill(api, 25)
            var seen: [String] = []
            var after = ""
            for _ in 0..<30 {
                let reply = try await api.send(
                    "GET", "\(Self.path)?limit=\(size)\(after)", as: .owner)
                let page = try reply.json
                let ids = page["data"]?.array?.compactMap { $0["id"]?.text } ?? []
                #expect(ids.count <= size)
                seen += ids
                guard let next = page["next"]?.text else { break }
                after = "&after=\(next)"
            }
            #expect(seen.count == 25)
            #expect(Set(seen).count == 25)
        }
    }

    @Test("a cursor that is not ours, or another list's, is 422")
    func tampered() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            try await Self.fill(api, 3)
            let first = try await api.send("GET", "\(Self.path)?limit=1", as: .owner)
            let cursor = try #require(try first.json["next"]?.text)
            let flipped = (cursor.hasPrefix("A") ? "B" : "A") + cursor.dropFirst()
            for wrong in ["", "x", "%00", flipped, String(cursor.dropLast()), cursor + "A"] {
                let reply = try await api.send("GET", "\(Self.path)?after=\(wrong)", as: .owner)
                #expect(reply.status == 422, "\(wrong)")
            }
            let reply = try await api.send("GET", "\(Self.path)?after=\(flipped)", as: .owner)
            #expect(reply.code == "invalid_cursor")
            let elsewhere = "/v1/stores/\(TestAPI.south)/toy/notes?after=\(cursor)"
            #expect(try await api.send("GET", elsewhere, as: .stranger).code == "invalid_cursor")
        }
    }

    @Test("parameters are checked like bodies, unknown ones ignored")
    func parameters() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            for (query, faults) in [
                ("limit=0", ["/limit range"]), ("limit=201", ["/limit range"]),
                ("limit=x&not=1&loud=maybe", ["/limit type", "/not format", "/loud type"]),
                ("limit=%zz", ["/limit format"]),
                ("", []), ("limit=200&loud=true&x=%zz&not=\(TestAPI.north)", []),
                ("limit=5&limit=999", []),
            ] {
                let reply = try await api.send("GET", "\(Self.path)?\(query)", as: .owner)
                #expect(try reply.faults == faults, "\(query)")
                #expect(reply.status == (faults.isEmpty ? 200 : 422), "\(query)")
            }
        }
    }

    @Test("a cursor keeps every bit of time and id", arguments: [Int64.min, -1, 0, 1, .max])
    func precision(_ time: Int64) throws {
        let signer = CursorSigner(secret: TestAPI.secret)
        let cursor = Cursor(time: Timestamp(microseconds: time), id: UUID.random())
        #expect(signer.open(signer.seal(cursor, list: "a"), list: "a") == cursor)
        #expect(signer.open(signer.seal(cursor, list: "a"), list: "b") == nil)
    }
}
