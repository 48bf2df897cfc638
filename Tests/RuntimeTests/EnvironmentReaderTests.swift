import Runtime
import Testing

@Suite("The environment") struct EnvironmentReaderTests {
    @Test("is trimmed, and an empty value is unset")
    func trimming() {
        let reader = EnvironmentReader(["A": "  x y\r\n", "B": " \t\n", "C": ""])
        #expect(reader.text("A") == "x y")
        #expect(reader.text("B") == nil)
        #expect(reader.text("C") == nil)
        #expect(reader.text("D") == nil)
        #expect(reader.secret("A").map { "\($0)" } == "<redacted>")
    }

    @Test("gives the value or the default")
    func values() {
        var reader = EnvironmentReader([
            "PORT": "8081", "TIMEOUT": "2.5", "FORMAT": "text", "METRICS": "[::1]:9",
            "BIND": "0.0.0.0:0",
        ])
        #expect(reader.integer("PORT", default: 8080, in: 0...65535) == 8081)
        #expect(reader.integer("NONE", default: 8080, in: 0...65535) == 8080)
        #expect(reader.seconds("TIMEOUT", default: 10, in: 1...60) == .milliseconds(2500))
        #expect(reader.choice("FORMAT", default: "json", of: ["json", "text"]) == "text")
        #expect(reader.address("METRICS", default: ("127.0.0.1", 9090)) == ("[::1]", 9))
        #expect(reader.address("BIND", default: ("127.0.0.1", 9090)) == ("0.0.0.0", 0))
        #expect(reader.faults.isEmpty)
    }

    @Test("names every faulty variable at once, and no value")
    func faults() {
        var reader = EnvironmentReader([
            "PORT": "hunter2", "BATCH": "0", "TIMEOUT": "soon", "NAN": "nan", "FORMAT": "xml",
            "METRICS": "9090", "BIND": ":1", "ADDRESS": "host:99999",
        ])
        _ = reader.integer("PORT", default: 8080, in: 0...65535)
        _ = reader.integer("BATCH", default: 200, in: 1...1000)
        _ = reader.seconds("TIMEOUT", default: 10, in: 1...60)
        _ = reader.seconds("NAN", default: 10, in: 1...60)
        _ = reader.choice("FORMAT", default: "json", of: ["json", "text"])
        _ = reader.address("METRICS", default: ("127.0.0.1", 9090))
        _ = reader.address("BIND", default: ("127.0.0.1", 9090))
        _ = reader.address("ADDRESS", default: ("127.0.0.1", 9090))
        #expect(
            reader.faults.map(\.description) == [
                "PORT: must be a whole number from 0 to 65535",
                "BATCH: must be a whole number from 1 to 1000",
                "TIMEOUT: must be a number of seconds from 1.0 to 60.0",
                "NAN: must be a number of seconds from 1.0 to 60.0",
                "FORMAT: must be one of json, text",
                "METRICS: must be an address and a port, as 127.0.0.1:9090",
                "BIND: must be an address and a port, as 127.0.0.1:9090",
                "ADDRESS: must be an address and a port, as 127.0.0.1:9090",
            ])
    }
}
