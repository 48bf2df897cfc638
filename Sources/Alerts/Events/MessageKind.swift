/// What a message of a conversation is, in the words of `message.kind`. All but `text` have a label
/// in every language, and their text is a caption.
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
