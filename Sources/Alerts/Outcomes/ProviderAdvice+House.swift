extension ProviderAdvice {
    /// Where the provider gave no reason, or was never reached.
    static let ours = [
        "timeout":
            "The provider did not answer in time: is port 443 open towards it, and is a proxy or "
            + "firewall between that holds HTTP/2 back?",
        "cannot_connect":
            "The provider cannot be reached: check name resolution, the route and the firewall "
            + "towards port 443, and PROVIDER_CA_PATH.",
        "connection_lost": "The connection broke: it is sent again. Often: look at the network.",
        "stream_reset": "The provider broke the request off: it is sent again.",
        "no_trust":
            "The provider's certificate is not trusted: install ca-certificates, or mend "
            + "PROVIDER_CA_PATH.",
        "answer_too_large": "Something between answers in the provider's place: a proxy?",
        "answer_not_json": "Something between answers in the provider's place: a proxy?",
        "cannot_sign": "The key cannot sign: take the file anew as the provider gave it.",
        "address_not_allowed": "The token address of the service account is not allowed.",
        "poison":
            "Workers died or stalled five times with it: look for crashes at these times, then "
            + "retry it.",
        "unknown_kind": "No worker knows this kind of job: was it added by hand, or by a newer "
            + "version?",
        "undecodable": "The job's arguments cannot be read: discard it and add it anew.",
        "not_worded":
            "The alert's text could not be made: mend the wording that the worker's log names, in "
            + "the store's templates or the localization folder, then retry it.",
        "not_configured":
            "No worker has these credentials: set their variables (APNS_… or FCM_…) for the workers "
            + "and start them anew. Pushes that still wait there end as expired.",
        "device_mismatch":
            "Ten devices in a row were refused as another app's, environment's or project's, so "
            + "devices are kept and nothing is sent: compare APNS_TOPIC with the app's bundle id, "
            + "the key's environment with the build's, or FCM_PROJECT_ID with the app's "
            + "google-services.json. It is tried again by itself, each time after a longer pause.",
        "expired": "Its time was over before it could be sent. Nothing to do.",
        "not_started":
            "No connection had room for it in time: it is sent again. Often: start another worker, or "
            + "look for a slow network.",
        "facts_late":
            "The database took too long to say who may still be told: it is sent again. Often: look "
            + "at the database's load.",
        "client_closed": "The worker was ending: it is sent again by the next one.",
        "no_answer": "The provider gave no answer: check the network on the way to port 443.",
        "invalid_request":
            "The request could not be built, as from a device token that fits no path: it never "
            + "reached the provider. Have the app register the device again; if it is every device, "
            + "report it.",
        "request_malformed":
            "The token address of the service account is no valid address: take its file anew from "
            + "the Google Cloud console.",
    ]
}
