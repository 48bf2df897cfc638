import JSON
import Push
import Runtime
import Testing
import Values

@Suite("Credentials of FCM")
struct FCMCredentialsTests {
    private func read(
        _ json: String, project: String? = nil, tokenURL: String? = nil
    ) throws(EnvironmentFault) -> FCMCredentials {
        try FCMCredentials(
            json: Secret(json), variable: "FCM_SERVICE_ACCOUNT_JSON", project: project,
            tokenURL: tokenURL)
    }

    @Test("a service account gives its project, its address and Google's token endpoint")
    func reads() throws {
        let credentials = try read(try FCMAccount.json())
        #expect(credentials.project == "shop-1234")
        #expect(credentials.keyID == "abcdef")
        #expect(credentials.email == "push@shop-1234.iam.gserviceaccount.com")
        #expect("\(credentials.tokenURL)" == "https://oauth2.googleapis.com:443/token")
        #expect(
            "\(credentials)"
                == "service account push@shop-1234.iam.gserviceaccount.com for project shop-1234")
    }

    @Test("another project and white space or quotes around are taken")
    func variants() throws {
        let json = try FCMAccount.json(["project_id": .some(nil)])
        #expect(try read(json, project: "other").project == "other")
        #expect(try read(" \n'\(try FCMAccount.json())'\n").project == "shop-1234")
    }

    @Test(
        "the wrong file is named for what it is",
        arguments: [
            (
                #"{"project_info":{"project_id":"x"},"client":[],"configuration_version":"1"}"#,
                "is the app's google-services.json"
            ),
            (#"{"type":"authorized_user","refresh_token":"s3cret"}"#, "(authorized_user)"),
            (#"{"type":"external_account"}"#, "(external_account)"),
            (#"{"web":{"client_secret":"s3cret"}}"#, "is an OAuth client's secret"),
            (#"{"type":"s3cret"}"#, "is of another type than service_account"),
            ("{}", "lacks type"), ("[]", "is not a JSON object"), ("not json", "is not JSON"),
            ("", "is not JSON"), (#"{"type":"service_account"}"#, "lacks private_key"),
            (
                #"{"type":"service_account","private_key":"s3cret"}"#,
                "private_key is not a private key in PEM form"
            ),
        ])
    func wrongFile(json: String, words: String) throws {
        let fault = #expect(throws: EnvironmentFault.self) { try read(json) }
        #expect(fault?.variable == "FCM_SERVICE_ACCOUNT_JSON")
        #expect(fault?.problem.contains(words) == true, "\(fault?.problem ?? "")")
        #expect(fault?.problem.contains("s3cret") == false)
    }

    @Test("a file without a project says that FCM_PROJECT_ID would do")
    func noProject() throws {
        let json = try FCMAccount.json(["project_id": .some(nil)])
        #expect(
            throws: EnvironmentFault(
                variable: "FCM_SERVICE_ACCOUNT_JSON",
                problem: "lacks project_id, and FCM_PROJECT_ID is not set, FCM is off")
        ) { try read(json) }
    }

    @Test("a project that would change the path is refused", arguments: ["a/b", "a?b", "a b", "é"])
    func project(name: String) throws {
        let json = try FCMAccount.json()
        let fault = #expect(throws: EnvironmentFault.self) { try read(json, project: name) }
        #expect(fault?.variable == "FCM_PROJECT_ID")
    }

    @Test(
        "a token_uri that is not Google's is refused",
        arguments: [
            "https://evil.example/token", "http://oauth2.googleapis.com/token",
            "http://127.0.0.1:6379/", "http://169.254.169.254/computeMetadata/v1/",
            "https://oauth2.googleapis.com.evil.example/token", "https://googleapis.com.evil/",
            "https://oauth2.googleapis.com:8443/token", "https://a@oauth2.googleapis.com/token",
            "file:///etc/passwd", "x",
        ])
    func tokenURI(address: String) throws {
        let json = try FCMAccount.json(["token_uri": .text(address)])
        let fault = #expect(throws: EnvironmentFault.self) { try read(json) }
        #expect(
            fault?.problem
                == "has a token_uri that is not Google's; FCM_TOKEN_URL sets another, FCM is off")
        let replaced = try read(json, tokenURL: "https://127.0.0.1:8093/token")
        #expect("\(replaced.tokenURL)" == "https://127.0.0.1:8093/token")
        #expect(replaced.audience == "https://oauth2.googleapis.com/token")
    }

    @Test(
        "FCM_TOKEN_URL is https, or http on this machine",
        arguments: [
            ("https://proxy.example/token", true), ("http://127.0.0.1:8093/token", true),
            ("http://proxy.example/token", false), ("ftp://127.0.0.1/", false),
        ])
    func override(address: String, isTaken: Bool) throws {
        let json = try FCMAccount.json()
        guard !isTaken else {
            #expect(throws: Never.self) { try read(json, tokenURL: address) }
            return
        }
        let fault = #expect(throws: EnvironmentFault.self) { try read(json, tokenURL: address) }
        #expect(fault?.variable == "FCM_TOKEN_URL")
    }
}
