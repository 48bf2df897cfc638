import Cryptography
import JSON
import Postgres
import Storage
import TestKit
import Testing
import Values

@testable import API

@Suite("Sessions")
struct SessionTests {
    /// Case G25.
    @Test("fifty refreshes at once leave one live refresh token, and an access token for each")
    func parallel() async throws {
        try await TestAPI.run { api in
            let account = try await api.account()
            _ = try await api.register(PushTokens.ios(1), for: account.session.access)
            let replies = try await api.atOnce(50) {
                try await api.refresh(account.session.refresh)
            }
            let sessions = try replies.map { try Account.Session($0) }
            #expect(Set(sessions.map(\.refresh)).count == 1)
            #expect(Set(sessions.map(\.access)).count == 50)
            for session in sessions {
                #expect(try await api.send("GET", "/v1/me", token: session.access).status == 200)
            }
            #expect(try await api.devices(of: sessions[0].access).count == 1)
            let next = try await api.refresh(sessions[0].refresh)
            #expect(next.status == 200)
        }
    }

    @Test("a lost answer is asked for again and brings the same successor")
    func lostAnswer() async throws {
        try await TestAPI.run { api in
            let first = try await api.account().session
            let lost = try Account.Session(try await api.refresh(first.refresh))
            let again = try Account.Session(try await api.refresh(first.refresh))
            #expect(again.refresh == lost.refresh)
            #expect(try await api.refresh(again.refresh).status == 200)
        }
    }

    @Test("a token whose successor was used is reuse: the session ends with its devices")
    func reuse() async throws {
        try await TestAPI.run { api in
            let account = try await api.account()
            let other = try await api.signIn(account.email)
            _ = try await api.register(PushTokens.ios(1), for: account.session.access)
            _ = try await api.register(PushTokens.ios(2), for: other.access)
            let second = try Account.Session(try await api.refresh(account.session.refresh))
            let third = try Account.Session(try await api.refresh(second.refresh))
            // The replay comes from elsewhere: whoever has the newer token is signed out too.
            let replay = try await api.refresh(account.session.refresh)
            #expect(replay.status == 401)
            #expect(replay.code == "refresh_token_reused")
            for token in [account.session.access, second.access, third.access] {
                #expect(try await api.send("GET", "/v1/me", token: token).code == "session_ended")
            }
            #expect(try await api.refresh(third.refresh).code == "session_ended")
            #expect(try await api.devices(of: other.access).count == 1)
            let removed = try await api.send(
                "GET", "/v1/me/devices/removed", token: other.access)
            #expect(try removed.json["data"]?.array?.first?["reason"] == "session_ended")
        }
    }

    @Test("a replay after the grace is reuse, though its successor was never used")
    func afterGrace() async throws {
        try await TestAPI.run { api in
            let session = try await api.account().session
            _ = try await api.refresh(session.refresh)
            try await api.sql(
                "update sineta.sessions set rotated_at = rotated_at - interval '121 seconds'")
            #expect(try await api.refresh(session.refresh).code == "refresh_token_reused")
        }
    }

    @Test("a refresh token that is none, or of an expired session, is refused without an alarm")
    func refused() async throws {
        try await TestAPI.run { api in
            let session = try await api.account().session
            for token in ["x", Tokens.refresh.make().reveal(), session.access] {
                #expect(try await api.refresh(token).code == "unauthenticated")
            }
            try await api.sql("update sineta.sessions set expires_at = now()")
            #expect(try await api.refresh(session.refresh).code == "session_ended")
        }
    }

    @Test(
        "signing out is 204 always, and ends the session with its devices",
        arguments: [true, false])
    func logout(_ byRefreshToken: Bool) async throws {
        try await TestAPI.run { api in
            let account = try await api.account()
            let other = try await api.signIn(account.email)
            _ = try await api.register(PushTokens.ios(1), for: account.session.access)
            let reply =
                byRefreshToken
                ? try await api.send(
                    "POST", "/v1/auth/logout",
                    body: #"{"refresh_token":"\#(account.session.refresh)"}"#)
                : try await api.send(
                    "POST", "/v1/auth/logout", token: account.session.access)
            #expect(reply.status == 204)
            let me = try await api.send("GET", "/v1/me", token: account.session.access)
            #expect(me.code == "session_ended")
            #expect(try await api.refresh(account.session.refresh).code == "session_ended")
            #expect(try await api.devices(of: other.access) == [])
            for body in [nil, "{}", #"{"refresh_token":"x"}"#] {
                #expect(try await api.send("POST", "/v1/auth/logout", body: body).status == 204)
            }
        }
    }

    @Test("sessions are listed, and one of one's own can be ended")
    func list() async throws {
        try await TestAPI.run { api in
            let account = try await api.account()
            let other = try await api.signIn(account.email)
            let list = try await api.send("GET", "/v1/me/sessions", token: other.access).json
            let lines = list["data"]?.array ?? []
            #expect(lines.compactMap { $0["id"]?.text } == [other.id, account.session.id])
            #expect(lines.map { $0["current"] } == [true, false])
            let stranger = try await api.account("bia")
            let path = "/v1/me/sessions/\(account.session.id)"
            #expect(
                try await api.send("DELETE", path, token: stranger.session.access).status == 404)
            #expect(try await api.send("DELETE", path, token: other.access).status == 204)
            #expect(try await api.send("DELETE", path, token: other.access).status == 404)
            let me = try await api.send("GET", "/v1/me", token: account.session.access)
            #expect(me.code == "session_ended")
        }
    }

    /// Case G26, as far as the session goes; the pushes are in `PushCaseTests`.
    @Test("a password change ends every other session, and no refresh slips through")
    func password() async throws {
        try await TestAPI.run { api in
            let account = try await api.account()
            let other = try await api.signIn(account.email)
            _ = try await api.register(PushTokens.ios(1), for: account.session.access)
            _ = try await api.register(PushTokens.ios(2), for: other.access)
            func change(_ current: String) async throws -> RawReply {
                try await api.send(
                    "POST", "/v1/me/password", token: account.session.access,
                    body: #"{"current_password":"\#(current)","new_password":"another password"}"#)
            }
            #expect(try await change("wrong").faults == ["/current_password not_allowed"])
            async let racing = api.atOnce(10) { try await api.refresh(other.refresh) }
            #expect(try await change(Account.password).status == 204)
            for reply in try await racing where reply.status == 200 {
                let session = try Account.Session(reply)
                let me = try await api.send("GET", "/v1/me", token: session.access)
                #expect(me.code == "session_ended")
            }
            #expect(try await api.send("GET", "/v1/me", token: other.access).status == 401)
            #expect(try await api.refresh(other.refresh).status == 401)
            #expect(try await api.devices(of: account.session.access).count == 1)
            let removed = try await api.send(
                "GET", "/v1/me/devices/removed", token: account.session.access)
            #expect(try removed.json["data"]?.array?.first?["reason"] == "password_changed")
            #expect(try await api.login(account.email, Account.password).status == 401)
            #expect(try await api.login(account.email, "another password").status == 200)
        }
    }
}
