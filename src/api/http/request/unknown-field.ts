import { cutText } from '../../../base/cut-text.ts';
import type { ValidationFault } from '../../schema/error-body.ts';
import type { ReplyHeaders } from '../answer/reply.ts';
import { closestName } from './closest-name.ts';
import type { RequestPart } from './fault-wording.ts';
import type { FieldPath, UnknownField } from './known-fields.ts';

/** Most unknown fields that an answer names: each is compared with the known ones, and sent. */
export const MAX_UNKNOWN = 20;
/** More known names would hide the message. */
const MAX_KNOWN = 12;
/** Most UTF-16 units of a client's own name that are sent back. */
const MAX_NAME = 64;

/** The fault of a field that an endpoint does not take. `part`: the first element of its `loc`. */
export function unknownFieldFault(part: RequestPart, { path, known }: UnknownField): ValidationFault {
  const loc = [part, ...path.map((step) => (typeof step === 'string' ? shown(step) : step))];
  const noun = part === 'arguments' ? 'argument' : 'field';
  const msg = `Unknown ${noun} ${quoted(String(loc.at(-1)))}; ${adviceFor(String(path.at(-1)), known, noun)}`;
  return { loc, type: 'extra_forbidden', msg };
}

/** What was probably meant, or else what there is. */
function adviceFor(name: string, known: readonly string[], noun: string): string {
  const meant = closestName(name, known);
  if (meant !== null) return `did you mean ${quoted(meant)}?`;
  if (known.length === 0) return `no ${noun}s are taken here`;
  const listed = known.slice(0, MAX_KNOWN).map(quoted).join(', ');
  return `the ${noun}s are ${listed}${known.length > MAX_KNOWN ? ' and others' : ''}`;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

const HEADER = 'X-Ignored-Fields';
const MAX_HEADER = 1_000;
/** Last in a list that is not complete. */
const AND_MORE = '...';

/**
 * The header that names the fields that were ignored; empty without any. Names are percent-encoded where they are not
 * letters, digits or `-_~!*'()` of ASCII, and joined as in `attachments[0].colour`.
 */
export function ignoredFieldsHeader(fields: readonly FieldPath[]): ReplyHeaders {
  const names: string[] = [];
  let length = 0;
  for (const field of fields) {
    const name = pathText(field);
    length += name.length + 2;
    if (names.length === MAX_UNKNOWN || length > MAX_HEADER) {
      names.push(AND_MORE);
      break;
    }
    names.push(name);
  }
  return names.length === 0 ? {} : { [HEADER]: names.join(', ') };
}

function pathText(path: FieldPath): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${encoded(step)}`))
    .join('');
}

function encoded(name: string): string {
  return encodeURIComponent(shown(name).toWellFormed()).replaceAll('.', '%2E');
}

function shown(name: string): string {
  return name.length > MAX_NAME ? `${cutText(name, MAX_NAME)}…` : name;
}
