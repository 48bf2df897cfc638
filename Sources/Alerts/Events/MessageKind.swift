/// What a message of a conversation is.
public enum MessageKind: String, Sendable, CaseIterable {
    case text
    case image
    case video
    case audio
    case voiceNote = "voice_note"
    case file
    case product
    case order
}
