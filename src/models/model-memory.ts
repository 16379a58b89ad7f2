/**
 * Where a provider keeps a conversation, such as `{conversation: "conv_…"}`. Stored by the gateway between two turns.
 * Only the client that made it reads it, and checks it as it would anything from outside.
 */
export type ModelMemory = Readonly<Record<string, string>>;
