import Postgres
import TestKit
import Testing
import Values

@Suite struct ValueTests {
    private static let uuid = UUID(high: 0x0123_4567_89AB_CDEF, low: 0x8899_AABB_CCDD_EEFF)

    @Test("every scalar comes back as it was sent")
    func scalars() async throws {
        try await withTestDatabase { database in
            let pool = try database.pool()
            let rows = try await pool.query(
                "SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13",
                .bool(true), .int16(-2), .int32(.min), .int64(.max), .double(-0.5),
                .text("é\u{1F600}"), .uuid(Self.uuid), .timestamp(Timestamp(microseconds: -1)),
                .date(CivilDate(year: 1999, month: 12, day: 31)), .interval(.microseconds(-1500)),
                .bytes([0, 255]), .json(Array(#"{"a": 1}"#.utf8)), .numeric("-12345.6789"),
                deadline: .generous)
            let row = try #require(rows.first)
            #expect(try row.bool(0))
            #expect(try row.int16(1) == -2)
            #expect(try row.int32(2) == .min)
            #expect(try row.int64(3) == .max)
            #expect(try row.double(4) == -0.5)
            #expect(try row.text(5) == "é\u{1F600}")
            #expect(try row.uuid(6) == Self.uuid)
            #expect(try row.timestamp(7) == Timestamp(microseconds: -1))
            #expect(try row.date(8) == CivilDate(year: 1999, month: 12, day: 31))
            #expect(try row.interval(9) == .microseconds(-1500))
            #expect(try row.bytes(10) == [0, 255])
            #expect(try row.json(11) == Array(#"{"a": 1}"#.utf8))
            #expect(try row.numericText(12) == "-12345.6789")
        }
    }

    @Test("the server understands the values as it prints them")
    func serverAgrees() async throws {
        try await withTestDatabase { database in
            let rows = try await database.pool().query(
                """
                SELECT $1::text, $2::timestamptz AT TIME ZONE 'UTC' = timestamp '2026-02-03 04:05:06.000007',
                       $3::date = date '0001-01-01', $4::interval = interval '90 seconds',
                       $5::uuid::text, $6::text[] = ARRAY['a', NULL, ''], $7::jsonb -> 0 = '1',
                       $8::timestamptz[] = ARRAY[timestamptz 'epoch']
                """,
                .text(""),
                .timestamp(try #require(Timestamp(rfc3339: "2026-02-03T04:05:06.000007Z"))),
                .date(CivilDate(year: 1, month: 1, day: 1)), .interval(.seconds(90)),
                .uuid(Self.uuid), .texts(["a", nil, ""]), .json(Array("[1]".utf8)),
                .timestamps([Timestamp(microseconds: 0)]), deadline: .generous)
            let row = try #require(rows.first)
            #expect(try row.text(0) == "")
            for column in [1, 2, 3, 5, 6, 7] { #expect(try row.bool(column), "column \(column)") }
            #expect(try row.text(4) == "01234567-89ab-cdef-8899-aabbccddeeff")
        }
    }

    @Test("every array comes back with its NULLs, and empty")
    func arrays() async throws {
        try await withTestDatabase { database in
            let time = Timestamp(microseconds: 1_700_000_000_000_000)
            let day = CivilDate(year: 2024, month: 2, day: 29)
            let row = try #require(
                try await database.pool().query(
                    "SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12",
                    .bools([true, nil]), .int16s([1, nil]), .int32s([nil, 2]), .int64s([3]),
                    .doubles([nil, 1.5]), .texts(["", nil, "b"]), .uuids([nil, Self.uuid]),
                    .timestamps([time, nil]), .dates([day, nil]), .bytesArray([[], nil, [7]]),
                    .jsons([Array("[]".utf8), nil]), .texts([]), deadline: .generous
                ).first)
            #expect(try row.boolsOrNull(0) == [true, nil])
            #expect(try row.int16sOrNull(1) == [1, nil])
            #expect(try row.int32sOrNull(2) == [nil, 2])
            #expect(try row.int64s(3) == [3])
            #expect(try row.doublesOrNull(4) == [nil, 1.5])
            #expect(try row.textsOrNull(5) == ["", nil, "b"])
            #expect(try row.uuidsOrNull(6) == [nil, Self.uuid])
            #expect(try row.timestampsOrNull(7) == [time, nil])
            #expect(try row.datesOrNull(8) == [day, nil])
            #expect(try row.bytesArrayOrNull(9) == [[], nil, [7]])
            #expect(try row.jsonsOrNull(10) == [Array("[]".utf8), nil])
            #expect(try row.texts(11) == [])
            #expect(throws: PostgresError.self) { try row.texts(5) }
        }
    }

    @Test("NULL is nil where it is asked for, and an error where it is not")
    func nulls() async throws {
        try await withTestDatabase { database in
            let row = try #require(
                try await database.pool().query(
                    "SELECT $1::text, $2, $3, $4, $5", .null, .optionalUUID(nil),
                    .optionalTimestamp(nil), .optionalJSON(nil), .optionalTexts(nil),
                    deadline: .generous
                ).first)
            #expect(try row.optionalText(0) == nil)
            #expect(try row.optionalUUID(1) == nil)
            #expect(try row.optionalTimestamp(2) == nil)
            #expect(try row.optionalJSON(3) == nil)
            #expect(try row.optionalTexts(4) == nil)
            #expect(throws: PostgresError.decoding("column 1 (?column?) is NULL")) {
                try row.uuid(1)
            }
        }
    }

    @Test("a column of another type, or none, is an error and no guess")
    func wrongColumns() async throws {
        try await withTestDatabase { database in
            let row = try #require(
                try await database.pool().query(
                    "SELECT 1::int AS n, 'x'::text AS t, timestamptz 'infinity' AS i",
                    deadline: .generous
                ).first)
            #expect(throws: PostgresError.self) { try row.text(0) }
            #expect(throws: PostgresError.self) { try row.int(1) }
            #expect(throws: PostgresError.self) { try row.int(3) }
            #expect(throws: PostgresError.self) { try row.timestamp(2) }
            #expect(try row.int(0) == 1)
        }
    }

    @Test(
        "a numeric is read digit by digit",
        arguments: [
            "0", "0.00", "1", "10000", "-10000.0001", "0.00001234", "99999999999999999999.99",
            "123456789012345678901234567890", "NaN", "Infinity", "-Infinity", "1000000",
        ])
    func numerics(_ text: String) async throws {
        try await withTestDatabase { database in
            let rows = try await database.pool().query(
                "SELECT $1, $1::text", .numeric(text), deadline: .generous)
            #expect(try rows.first?.numericText(0) == text)
            #expect(try rows.first?.text(1) == text)
        }
    }

    @Test("enums, names and varchars are read as text")
    func otherTexts() async throws {
        try await withTestDatabase { database in
            try await database.run("CREATE TYPE public.mood AS ENUM ('calm')")
            let row = try #require(
                try await database.pool().query(
                    "SELECT 'calm'::mood, 'n'::name, 'v'::varchar, $1::text::mood", .text("calm"),
                    deadline: .generous
                ).first)
            #expect(try (0..<4).map { try row.text($0) } == ["calm", "n", "v", "calm"])
        }
    }
}
