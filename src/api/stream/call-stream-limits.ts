export const CALL_STREAM_PATH = '/api/call/{call_id}/stream';
/** About 10 s of 48 kHz audio (specification, "Limits"). */
export const MAX_MESSAGE_BYTES = 1_048_576;
/** With a margin within which the sender is told that the message is too long (1009). */
export const MAX_RECEIVED_BYTES = MAX_MESSAGE_BYTES + 65_536;
/** Fifty or a hundred frames of audio a second, also as JSON, and what has piled up in 2 s. */
export const CALL_PACE = { most: 1_800, perSecond: 900 };
