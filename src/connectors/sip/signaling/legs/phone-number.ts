/** With all its separators. */
const MAX_CHARACTERS = 64;

/**
 * Brings a dialled or shown number to E.164 with the plus: separators go, a leading 00 or 011 becomes the plus.
 * Null when the text is no number in international form (a national number needs to be known by its trunk).
 */
export function toE164(text: string): string | null {
  if (text.length > MAX_CHARACTERS) return null;
  const digits = text.replace(/[\s().\-/]/g, '');
  if (/^\+[1-9]\d{2,14}$/.test(digits)) return digits;
  if (/^00[1-9]\d{2,14}$/.test(digits)) return `+${digits.slice(2)}`;
  if (/^011[1-9]\d{2,14}$/.test(digits)) return `+${digits.slice(3)}`;
  return /^[1-9]\d{6,14}$/.test(digits) ? `+${digits}` : null;
}

/** The digits of a number in national form without its trunk prefix 0; null when they are too few to tell apart. */
export function nationalDigits(text: string): string | null {
  if (text.length > MAX_CHARACTERS) return null;
  const digits = text.replace(/[\s().\-/]/g, '').replace(/^0+/, '');
  return /^\d{7,14}$/.test(digits) ? digits : null;
}
