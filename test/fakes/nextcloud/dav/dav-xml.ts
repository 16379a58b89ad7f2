import type { NcAnswer } from '../http/nc-answer.ts';
import { escaped } from '../http/web-page.ts';
import { etagOf, type FakeFile } from './file-tree.ts';

const XML = { 'Content-Type': 'application/xml; charset=utf-8' };
const NAMESPACES = 'xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" xmlns:oc="http://owncloud.org/ns"';

/** A refusal of Sabre, on which Nextcloud's WebDAV is built. */
export function davError(status: number, exception: string, message: string): NcAnswer {
  return {
    status,
    headers: {
      ...XML,
      ...(status === 401 && { 'WWW-Authenticate': 'Basic realm="Nextcloud", charset="UTF-8"' }),
    },
    body: `<?xml version="1.0" encoding="utf-8"?>
<d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns">
  <s:exception>Sabre\\DAV\\Exception\\${exception}</s:exception>
  <s:message>${escaped(message)}</s:message>
</d:error>
`,
  };
}

/** A file, or a folder (null), with the address at which it lies. */
export interface Resource {
  readonly href: string;
  readonly file: FakeFile | null;
}

/** Answers which properties resources have. `asked`: names with the prefix of their namespace; none: all. */
export function multistatus(resources: readonly Resource[], asked: readonly string[]): NcAnswer {
  const responses = resources.map(({ href, file }) => {
    const properties = propertiesOf(file);
    const names = asked.length === 0 ? [...properties.keys()] : asked;
    const known = names.flatMap((name) => properties.get(name) ?? []);
    const unknown = names.filter((name) => !properties.has(name)).map((name) => `<${name}/>`);
    return `<d:response><d:href>${escaped(href)}</d:href>${propstat(known, '200 OK')}${propstat(unknown, '404 Not Found')}</d:response>`;
  });
  return {
    status: 207,
    headers: XML,
    body: `<?xml version="1.0"?>\n<d:multistatus ${NAMESPACES}>${responses.join('')}</d:multistatus>\n`,
  };
}

/** Returns the properties that a PROPFIND asks for, with our prefixes. */
export function propertiesIn(body: string): string[] {
  const prefixes = new Map(
    [...body.matchAll(/xmlns(?::(\w+))?="([^"]+)"/g)].map(([, prefix = '', uri = '']) => [prefix, uri]),
  );
  const asked = /<(?:\w+:)?prop(?:\s[^>]*)?>([\s\S]*?)<\/(?:\w+:)?prop>/.exec(body)?.[1] ?? '';
  return [...asked.matchAll(/<(?:(\w+):)?([\w-]+)(?:\s+xmlns="([^"]+)")?\s*\/?>/g)].map(
    ([, prefix = '', name = '', own]) => {
      const uri = own ?? prefixes.get(prefix);
      return `${uri === 'http://owncloud.org/ns' ? 'oc' : uri === 'DAV:' ? 'd' : 's'}:${name}`;
    },
  );
}

function propertiesOf(file: FakeFile | null): Map<string, string> {
  const size = file?.bytes.length ?? 0;
  const values: Record<string, string> = file
    ? {
        'd:getlastmodified': file.modifiedAt.toUTCString(),
        'd:getcontentlength': `${size}`,
        'd:resourcetype': '',
        'd:getetag': `"${etagOf(file)}"`,
        'd:getcontenttype': file.mime,
        'oc:fileid': `${file.id}`,
        'oc:id': `${file.id}`.padStart(8, '0').padEnd(20, 'ocfake0instance'),
        'oc:size': `${size}`,
        'oc:permissions': 'RGDNVW',
      }
    : { 'd:resourcetype': '<d:collection/>', 'oc:permissions': 'RGDNVCK', 'oc:size': '0' };
  return new Map(Object.entries(values).map(([name, value]) => [name, `<${name}>${value}</${name}>`]));
}

function propstat(properties: readonly string[], status: string): string {
  if (properties.length === 0) return '';
  return `<d:propstat><d:prop>${properties.join('')}</d:prop><d:status>HTTP/1.1 ${status}</d:status></d:propstat>`;
}
