import type { OffersChoices } from '../../contract/messenger.ts';

/** Five rows of five buttons (https://docs.discord.com/developers/components/reference#button). */
export const CHOICES: OffersChoices = { most: 25, longest: 80 };

const PER_ROW = 5;
const ACTION_ROW = 1;
const BUTTON = 2;
const SECONDARY = 2;
const OWN = 'choice:';

export function buttonsOf(choices: readonly string[]): readonly object[] {
  const buttons = choices.map((label) => ({
    type: BUTTON,
    style: SECONDARY,
    label,
    custom_id: `${OWN}${label}`,
  }));
  return Array.from({ length: Math.ceil(buttons.length / PER_ROW) }, (_, row) => ({
    type: ACTION_ROW,
    components: buttons.slice(row * PER_ROW, (row + 1) * PER_ROW),
  }));
}

/** Returns the label of one of the gateway's own buttons; null: it is none. */
export function choiceIn(customId: string): string | null {
  return customId.startsWith(OWN) ? customId.slice(OWN.length) : null;
}
