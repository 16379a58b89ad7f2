/** What is done to a bridge thread. */
export const DISTURBANCES = ['killed', 'stalled', 'flooded'] as const;

/** What happens to it for a while; `none`: it is left alone. */
export type Spell = (typeof DISTURBANCES)[number] | 'none';
