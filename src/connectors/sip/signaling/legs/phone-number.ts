/** Includes separators. */
const MAX_CHARACTERS = 64;

/**
 * Converts a dialled or displayed number to E.164 with the plus. Separators are removed, and a leading 00 or 011
 * becomes the plus. Returns null when the text is not a number in international format (only its trunk can interpret a
 * national number).
 */
export function toE164(text: string): string | null {
  if (text.length > MAX_CHARACTERS) return null;
  const digits = text.replace(/[\s().\-/]/g, '');
  if (/^\+[1-9]\d{2,14}$/.test(digits)) return digits;
  if (/^00[1-9]\d{2,14}$/.test(digits)) return `+${digits.slice(2)}`;
  if (/^011[1-9]\d{2,14}$/.test(digits)) return `+${digits.slice(3)}`;
  return /^[1-9]\d{6,14}$/.test(digits) ? `+${digits}` : null;
}

/**
 * Returns the digits of a number in national format without the trunk prefix 0; null when there are too few to be
 * unique.
 */
export function nationalDigits(text: string): string | null {
  if (text.length > MAX_CHARACTERS) return null;
  const digits = text.replace(/[\s().\-/]/g, '').replace(/^0+/, '');
  return /^\d{7,14}$/.test(digits) ? digits : null;
}
