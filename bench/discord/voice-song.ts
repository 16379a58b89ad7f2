/** How people speak in Discord's voice channels, and agents too: at the default of a channel. */
export const DISCORD_OPUS = { payloadType: 120, complexity: 4, bitrateBps: 64_000 } as const;
