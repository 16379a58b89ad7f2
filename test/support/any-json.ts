/** Parsed JSON of which a test reads the fields that it needs. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions on those fields check the types
export type AnyJson = any;
