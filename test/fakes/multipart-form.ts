/** A file as it came in a form. */
export interface FormFile {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Buffer;
}

export interface Form {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, FormFile>;
}

const LINE = '\r\n';

/** Takes a multipart/form-data body apart (RFC 7578); throws for anything that is not exactly one. */
export function parseForm(body: Buffer, contentType: string): Form {
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1];
  if (boundary === undefined) throw new Error('no boundary');
  const delimiter = Buffer.from(`${LINE}--${boundary}`);
  const whole = Buffer.concat([Buffer.from(LINE), body]);
  const form = { fields: new Map<string, string>(), files: new Map<string, FormFile>() };
  let from = whole.indexOf(delimiter);
  if (from !== 0) throw new Error('the body does not begin with its boundary');
  for (;;) {
    from += delimiter.length;
    const next = whole.subarray(from, from + 2).toString('latin1');
    if (next === '--') return form;
    if (next !== LINE) throw new Error('something stands behind a boundary');
    const end = whole.indexOf(delimiter, from + 2);
    if (end < 0) throw new Error('the last boundary is missing');
    addPart(form, whole.subarray(from + 2, end));
    from = end;
  }
}

function addPart(
  { fields, files }: { fields: Map<string, string>; files: Map<string, FormFile> },
  part: Buffer,
): void {
  const headEnd = part.indexOf(LINE + LINE);
  if (headEnd < 0) throw new Error('a part without an end of its head');
  const head = part.subarray(0, headEnd).toString('utf8');
  const content = part.subarray(headEnd + 4);
  const disposition =
    /^content-disposition: ?form-data; ?name="([^"]+)"(?:; ?filename=("?)([^"\r\n]*)\2)?$/im.exec(head);
  if (!disposition) throw new Error(`a part without its name: ${head}`);
  const [, name = '', , fileName] = disposition;
  if (fields.has(name) || files.has(name)) throw new Error(`two parts named ${name}`);
  const mime = /^content-type: ?(.+)$/im.exec(head)?.[1]?.trim() ?? 'application/octet-stream';
  if (fileName === undefined) fields.set(name, content.toString('utf8'));
  else files.set(name, { name: decodeName(fileName), mime, bytes: content });
}

/** HTML, "Multipart form data": of a name only these are encoded. */
function decodeName(name: string): string {
  return name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
}
