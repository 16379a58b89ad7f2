/** What the phone says and what the agent says: neither repeats itself after a few frames, so that a lost one shows. */
export const PHONE_TONE_HZ = 437;
export const AGENT_TONE_HZ = 611;
export const AMPLITUDE = 10_000;
