import Alerts
import JSON

@testable import API

/// Holds an answer against the declaration of its endpoint.
enum AnswerCheck {
    static func faults(_ endpoint: Endpoint, _ result: Result<Answer, Problem>) -> [String] {
        switch result {
        case .success(let answer): faults(endpoint, answer)
        case .failure(let problem):
            endpoint.allCodes.contains(problem.code)
                ? [] : ["the code \(problem.code.rawValue) is not declared"]
        }
    }

    private static func faults(_ endpoint: Endpoint, _ answer: Answer) -> [String] {
        let declared = endpoint.responses.filter { $0.status == answer.status }
        guard !declared.isEmpty else { return ["status \(answer.status) is not declared"] }
        guard case .json(let bytes) = answer.content else { return [] }
        guard let value = try? JSONValue.parse(bytes) else { return ["the answer is not JSON"] }
        let attempts = declared.map { response in
            response.shape?.faults(in: value).map { "\($0.pointer): \($0.message)" }
                ?? ["no body is declared"]
        }
        return attempts.contains([]) ? [] : attempts.first ?? []
    }
}
