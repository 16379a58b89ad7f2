import { isRecord, parseForeignJson } from '../base/json.ts';

/**
 * A JSON object from a vendor. Its fields are read one by one, because bridge threads load no schema library. A field of
 * another type than expected reads as missing.
 */
export type VendorMessage = Readonly<Record<string, unknown>>;

/** Returns null for anything but a JSON object. */
export function readMessage(json: string): VendorMessage | null {
  try {
    const value = parseForeignJson(json);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

export function textAt(message: VendorMessage, name: string): string | null {
  const value = message[name];
  return typeof value === 'string' ? value : null;
}

/** Returns a finite number. */
export function numberAt(message: VendorMessage, name: string): number | null {
  const value = message[name];
  return Number.isFinite(value) ? (value as number) : null;
}

export function isTrueAt(message: VendorMessage, name: string): boolean {
  return message[name] === true;
}

/** Returns an empty object where there is none. */
export function objectAt(message: VendorMessage, name: string): VendorMessage {
  const value = message[name];
  return isRecord(value) ? value : {};
}

/** Returns the objects of a list. */
export function objectsAt(message: VendorMessage, name: string): readonly VendorMessage[] {
  return listAt(message, name).filter(isRecord);
}

/** Returns the texts of a list. */
export function textsAt(message: VendorMessage, name: string): readonly string[] {
  return listAt(message, name).filter((value) => typeof value === 'string');
}

/** Returns the finite numbers of a list. */
export function numbersAt(message: VendorMessage, name: string): readonly number[] {
  return listAt(message, name).filter((value) => Number.isFinite(value)) as number[];
}

function listAt(message: VendorMessage, name: string): readonly unknown[] {
  const value = message[name];
  return Array.isArray(value) ? value : [];
}
