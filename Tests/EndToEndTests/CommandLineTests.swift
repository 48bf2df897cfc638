import API
import Testing

@testable import sineta

@Suite("The command line") struct CommandLineTests {
    private static let commands = [
        Command(
            name: "up", summary: "runs everything",
            options: [
                .init(name: "--home", value: "DIR", help: "where it keeps its files"),
                .init(name: "--simulator", help: "with doubles of the providers"),
            ],
            run: { _ in .done }),
        Command(
            name: "user create", summary: "makes a person",
            operands: [
                .init(name: "EMAIL", help: "who"),
                .init(name: "NAME", help: "name", isOptional: true),
            ],
            run: { _ in .done }),
        Command(name: "user disable", summary: "shuts a person out", run: { _ in .done }),
    ]

    private func parse(_ words: [String]) throws(CommandFault) -> CommandLineParser.Result {
        try CommandLineParser(commands: Self.commands).parse(words, environment: [:])
    }

    private func invocation(_ words: String...) throws -> Invocation {
        guard case .run(_, let invocation) = try parse(words) else {
            throw CommandFault(.failed, "\(words) runs nothing")
        }
        return invocation
    }

    @Test("takes values behind an option or behind its equals sign, and switches anywhere")
    func options() throws {
        for it in [
            try invocation("up", "--home", "/x", "--simulator"),
            try invocation("up", "--simulator", "--home=/x"),
        ] {
            #expect(it.value("--home") == "/x")
            #expect(it.has("--simulator"))
        }
        #expect(try !invocation("up").has("--simulator"))
        #expect(try invocation("user", "create", "a@b.c").operands == ["a@b.c"])
    }

    @Test(
        "refuses in one line what it does not understand, and says where to look",
        arguments: [
            (["fly"], "there is no command fly; sineta --help lists those there are"),
            (["user"], "user wants to know what: user create, user disable"),
            (["up", "--fast"], "up does not know --fast; see sineta up --help"),
            (["up", "--home"], "up wants DIR after --home; see sineta up --help"),
            (
                ["up", "--simulator=1"],
                "up takes --simulator without a value; see sineta up --help"
            ),
            (["up", "now"], "up has no use for now; see sineta up --help"),
            (["user", "create"], "user create wants EMAIL; see sineta user create --help"),
        ])
    func refused(words: [String], complaint: String) {
        let fault = #expect(throws: CommandFault.self) { try parse(words) }
        #expect(fault?.words == complaint)
        #expect(fault?.code == .usage)
    }

    @Test(
        "gives help for a word that several commands begin with, as long as help is what was asked for",
        arguments: [["help", "user"], ["user", "--help"], ["user", "-h"]])
    func helpOfFamily(words: [String]) throws {
        #expect(
            try help(words, among: Self.commands) == """
                Usage: sineta user COMMAND [OPTIONS]

                  user create   makes a person
                  user disable  shuts a person out

                sineta user COMMAND --help tells more of one command.

                """)
    }

    @Test("gives help for a word whatever else there is: it may have one command, or all of them")
    func helpOfOddFamilies() throws {
        let users = Array(Self.commands.dropFirst())
        #expect(
            try help(["help", "user"], among: users)
                == help(["help", "user"], among: Self.commands))
        #expect(
            try help(["help", "user"], among: [Self.commands[0], users[0]]) == """
                Usage: sineta user COMMAND [OPTIONS]

                  user create  makes a person

                sineta user COMMAND --help tells more of one command.

                """)
    }

    private func help(_ words: [String], among commands: [Command]) throws -> String? {
        let result = try CommandLineParser(commands: commands).parse(words, environment: [:])
        guard case .help(let topic) = result else { return nil }
        return Help.of(topic, among: commands)
    }

    @Test("says its version, the one that the API's document states")
    func version() async throws {
        guard case .version = try parse(["--version"]) else {
            Issue.record("--version is no question for the version")
            return
        }
        let process = try SinetaProcess(["--version"], [:])
        #expect(await process.exitCode() == 0)
        #expect(await process.output() == "sineta \(API.version)\n")
    }

    @Test("says of an address that cannot be asked for health how one must begin")
    func healthAddress() async throws {
        for address in ["ftp://127.0.0.1:21", "http://192.0.2.1:8080", "here"] {
            let process = try SinetaProcess(
                ["health", "--url", address], ["PORT": "8123", "SINETA_HOME": "/"])
            #expect(await process.exitCode() == 64)
            #expect(
                await process.errors() == """
                    sineta: \(address) cannot be asked: --url must begin with https://, or with \
                    http:// on this machine, as http://127.0.0.1:8123

                    """)
        }
    }

    @Test(
        "gives help without doing anything",
        arguments: [
            [], ["--help"], ["-h"], ["help"], ["up", "--help"], ["help", "up"], ["up", "-h"],
            ["user", "create", "--help"], ["help", "user", "create"],
        ])
    func help(words: [String]) throws {
        let named = words.filter { !$0.contains("-") && $0 != "help" }.joined(separator: " ")
        let told = try help(words, among: Self.commands)
        if named.isEmpty {
            #expect(told?.contains("Usage: sineta COMMAND [OPTIONS]\n") == true)
            #expect(Self.commands.allSatisfy { told?.contains("\n  \($0.name) ") == true })
        } else {
            #expect(told == Self.commands.first { $0.name == named }.map { Help.of($0) })
        }
    }

    @Test("tells of a command its usage, operands and options")
    func helpOfOne() throws {
        #expect(
            Help.of(Self.commands[0]) == """
                Usage: sineta up [OPTIONS]

                up runs everything.

                  --home DIR   where it keeps its files
                  --simulator  with doubles of the providers

                """)
        #expect(Help.of(Self.commands[1]).hasPrefix("Usage: sineta user create EMAIL [NAME]\n"))
        for command in Commands.all {
            #expect(!command.summary.hasSuffix("."))
            #expect(Help.of(command).split(separator: "\n").allSatisfy { $0.count <= 100 })
        }
    }
}
