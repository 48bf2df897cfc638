// swift-tools-version: 6.2
import PackageDescription

// The house, drawn and explained in ARCHITECTURE.md. The table of who may import whom is this file;
// Tests/HouseTests holds the sources against it, since a plain build lets an undeclared import of a sibling pass.

/// Every room is built alike: Swift 6, warnings are errors, and each upcoming feature is one that
/// makes a dependency or a hop between executors visible.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A door: the one place where a C library is imported.
func door(_ name: String, pkgConfig: String) -> Target {
    .systemLibrary(name: name, path: "Sources/\(name)", pkgConfig: pkgConfig)
}

func room(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(of name: String, _ more: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.init(stringLiteral: name), "TestKit"] + more,
        swiftSettings: strict)
}

/// A program that only tests and `ops` run.
func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: strict)
}

/// `ROOMS=Postgres,JSON swift test` builds and runs the tests of those rooms alone.
let chosen = Context.environment["ROOMS"].map { $0.split(separator: ",").map { "\($0)Tests" } }

func isWanted(_ target: Target) -> Bool {
    target.type != .test || chosen.map { $0.contains(target.name) } ?? true
}

let package = Package(
    name: "sineta",
    products: [.executable(name: "sineta", targets: ["sineta"])],
    targets: [
        // Doors.
        door("CPostgres", pkgConfig: "libpq"),
        door("COpenSSL", pkgConfig: "openssl"),
        door("CNghttp2", pkgConfig: "libnghttp2"),
        door("CCurl", pkgConfig: "libcurl"),
        door("CMicrohttpd", pkgConfig: "libmicrohttpd"),
        door("CArgon2", pkgConfig: "libargon2"),
        door("CJansson", pkgConfig: "jansson"),
        .target(
            name: "CICU",
            linkerSettings: [
                .linkedLibrary("icui18n"), .linkedLibrary("icuuc"), .linkedLibrary("stdc++"),
            ]),

        // Kits: know nothing of alerts.
        room("Values", []),
        room("Runtime", ["Values"]),
        room("JSON", ["Values", "CJansson"]),
        room("Postgres", ["Values", "Runtime", "JSON", "CPostgres"]),
        room("HTTPServer", ["Values", "Runtime", "JSON", "CMicrohttpd"]),
        room("HTTP2", ["Values", "Runtime", "CNghttp2", "COpenSSL"]),
        room("WebClient", ["Values", "Runtime", "CCurl"]),
        room("Cryptography", ["Values", "Runtime", "JSON", "COpenSSL", "CArgon2"]),
        room("MessageFormat", ["Values", "Runtime", "CICU"]),

        // The product, in the order an alert flows.
        room("Alerts", ["Values", "JSON"]),
        room("Texts", ["Runtime", "MessageFormat", "Alerts"]),
        room("Jobs", ["Values", "Runtime", "JSON", "Postgres"]),
        room("Storage", ["Values", "Runtime", "JSON", "Postgres", "Alerts", "Jobs"]),
        room(
            "Push",
            ["Values", "Runtime", "JSON", "HTTP2", "WebClient", "Cryptography", "Alerts"]),
        room(
            "API",
            [
                "Values", "Runtime", "JSON", "HTTPServer", "Cryptography", "Postgres", "Alerts",
                "Jobs", "Storage", "Push",
            ]),
        room(
            "Worker",
            ["Values", "Runtime", "JSON", "Postgres", "Alerts", "Jobs", "Storage", "Push"]),
        room(
            "Simulator",
            ["Values", "Runtime", "JSON", "HTTPServer", "HTTP2", "Cryptography"]),
        .executableTarget(
            name: "sineta",
            dependencies: [
                "Values", "Runtime", "JSON", "Postgres", "HTTPServer", "HTTP2", "WebClient",
                "Cryptography", "Texts", "Alerts", "Jobs", "Storage", "Push", "API",
                "Worker", "Simulator",
            ],
            swiftSettings: strict),

        // Tests.
        .target(
            name: "TestKit",
            dependencies: [
                "Values", "Runtime", "JSON", "Postgres", "HTTPServer", "HTTP2", "Cryptography",
            ],
            path: "Tests/TestKit", swiftSettings: strict),
        tests(of: "Values"),
        tests(of: "Runtime"),
        tests(of: "JSON"),
        tests(of: "Postgres"),
        tests(of: "HTTPServer"),
        tests(of: "HTTP2", ["Cryptography"]),
        tests(of: "WebClient", ["HTTPServer", "Cryptography"]),
        tests(of: "Cryptography"),
        tests(of: "MessageFormat"),
        tests(of: "Alerts", ["Texts"]),
        tests(of: "Texts", ["Alerts"]),
        tests(of: "Jobs", ["Storage"]),
        tests(of: "Storage", ["Alerts", "Jobs", "Cryptography"]),
        tests(of: "Push", ["Simulator", "Alerts", "HTTP2", "WebClient", "Cryptography"]),
        tests(
            of: "API",
            [
                "Alerts", "Storage", "Jobs", "Push", "Simulator", "Texts", "Cryptography",
                "WebClient", "Worker",
            ]),
        tests(
            of: "Worker",
            ["Alerts", "Storage", "Jobs", "Push", "Simulator", "Texts", "Cryptography"]),
        tests(of: "Simulator", ["HTTP2", "Cryptography"]),
        tool("Schedules", ["Values", "Runtime", "Alerts", "Jobs", "Storage", "Worker"]),
        tests(of: "Schedules"),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "TestKit", "sineta", "Alerts", "Storage", "Jobs", "Push", "API", "Worker",
                "Simulator", "Texts",
            ], swiftSettings: strict),
        .testTarget(name: "HouseTests", dependencies: ["TestKit"], swiftSettings: strict),
    ].filter(isWanted),
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
