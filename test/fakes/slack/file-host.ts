import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseForm } from '../multipart-form.ts';
import { readBody } from './web-api/read-arguments.ts';
import type { UploadSlots } from './web-api/upload-slots.ts';
import type { FakeApp } from './world/fake-app.ts';
import type { FakeWorkspace } from './world/fake-workspace.ts';

const MAX_FILE_BYTES = 1_000_000_000;
const LOGIN_PAGE = '<!DOCTYPE html><html><head><title>Sign in | Slack</title></head><body></body></html>';

/** The host of files (files.slack.com). */
export class FileHost {
  readonly #apps: () => Iterable<FakeApp>;
  readonly #workspaces: () => Iterable<FakeWorkspace>;
  readonly #uploads: UploadSlots;

  constructor(
    apps: () => Iterable<FakeApp>,
    workspaces: () => Iterable<FakeWorkspace>,
    uploads: UploadSlots,
  ) {
    this.#apps = apps;
    this.#workspaces = workspaces;
    this.#uploads = uploads;
  }

  /** Takes the bytes of an upload, which needs no login but the address. */
  async upload(request: IncomingMessage, response: ServerResponse, key: string): Promise<void> {
    const slot = this.#uploads.at(key);
    const bytes = fileIn(await readBody(request, MAX_FILE_BYTES), request.headers['content-type'] ?? '');
    if (!slot || request.method !== 'POST') return plain(response, 404, 'not found');
    if (bytes.length !== slot.lengthBytes) return plain(response, 400, 'the length is not the declared one');
    slot.bytes = bytes;
    plain(response, 200, `OK - ${bytes.length}`);
  }

  /** Serves a file's bytes. Who may not read it gets the page to sign in, with status 200 as at Slack. */
  download(request: IncomingMessage, response: ServerResponse): void {
    const path = new URL(request.url ?? '/', 'http://fake').pathname;
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    for (const workspace of this.#workspaces()) {
      const file = [...workspace.files.values()].find((each) => each.path === path);
      if (!file) continue;
      if (!this.#mayRead(token, workspace)) return page(response);
      if (file.isDeleted) return plain(response, 404, 'file not found');
      response.writeHead(200, { 'Content-Type': file.mime, 'Content-Length': file.bytes.length });
      response.end(file.bytes);
      return;
    }
    plain(response, 404, 'file not found');
  }

  #mayRead(token: string, workspace: FakeWorkspace): boolean {
    return [...this.#apps()].some(({ installations }) =>
      installations.some(
        (each) =>
          each.token === token &&
          each.workspace === workspace &&
          each.deadAs === null &&
          each.scopes.has('files:read'),
      ),
    );
  }
}

/** The bytes come as they are, or in a form. */
function fileIn(body: Buffer, type: string): Buffer {
  if (!type.startsWith('multipart/form-data')) return body;
  const [file] = parseForm(body, type).files.values();
  return file?.bytes ?? Buffer.alloc(0);
}

function page(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
  response.end(LOGIN_PAGE);
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain' });
  response.end(text);
}
