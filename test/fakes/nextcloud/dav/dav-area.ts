import type { Area, Handling, Visit } from '../http/area.ts';
import type { LoginGuard } from '../http/login-guard.ts';
import { jsonAnswer, type NcAnswer, PlainError } from '../http/nc-answer.ts';
import { headerOf, type NcRequest } from '../http/nc-request.ts';
import type { PhpSessions } from '../http/php-sessions.ts';
import { davError, multistatus, propertiesIn, type Resource } from './dav-xml.ts';
import { etagOf, type FileTree, newFile } from './file-tree.ts';
import { mimeOf } from './mime-types.ts';

const ROOT = '/remote.php/dav/files/';

interface DavCall {
  readonly request: NcRequest;
  readonly files: FileTree;
  /** Within the user's files, decoded, without a slash at either end. */
  readonly path: string;
  /** The address of the user's files. */
  readonly home: string;
}

const METHODS: Readonly<Record<string, (call: DavCall) => NcAnswer>> = {
  GET: download,
  HEAD: (call) => ({ ...download(call), body: '' }),
  PUT: upload,
  MKCOL: makeFolder,
  DELETE: remove,
  PROPFIND: find,
};

/** WebDAV for the files of users: https://docs.nextcloud.com/server/latest/developer_manual/client_apis/WebDAV/basic.html */
export class DavArea implements Area {
  readonly #guard: LoginGuard;
  readonly #sessions: PhpSessions;

  constructor(guard: LoginGuard, sessions: PhpSessions) {
    this.#guard = guard;
    this.#sessions = sessions;
  }

  handling({ request, session }: Visit): Handling | null {
    if (!request.path.startsWith(ROOT)) return null;
    const run = METHODS[request.method];
    if (!run) throw new PlainError(davError(501, 'NotImplemented', `no method ${request.method}`), true);
    return {
      name: `dav.${request.method.toLowerCase()}`,
      run: () => {
        if (this.#sessions.lacksStrictCookie(request))
          throw new PlainError(
            jsonAnswer(412, { error: 'Strict Cookie has not been found in request' }),
            true,
          );
        const user = this.#guard.userOf(request, session);
        if (!user)
          throw new PlainError(davError(401, 'NotAuthenticated', 'Cannot authenticate over ajax calls'));
        const [owner = '', ...parts] = request.path.slice(ROOT.length).split('/').map(decodeURIComponent);
        const path = parts.filter((part) => part !== '').join('/');
        if (owner !== user.uid) throw new PlainError(notFound(path));
        return run({ request, files: user.files, path, home: `${ROOT}${encodeURIComponent(owner)}/` });
      },
    };
  }
}

function download({ files, path }: DavCall): NcAnswer {
  const file = files.files.get(path);
  if (!file) throw new PlainError(notFound(path));
  return {
    status: 200,
    headers: {
      'Content-Type': file.mime,
      ETag: `"${etagOf(file)}"`,
      'OC-ETag': `"${etagOf(file)}"`,
      'Last-Modified': file.modifiedAt.toUTCString(),
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(nameOf(path))}`,
    },
    body: file.bytes,
  };
}

function upload({ request, files, path }: DavCall): NcAnswer {
  if (!files.hasFolderOf(path))
    throw new PlainError(davError(409, 'Conflict', 'Files cannot be created in non-existent collections'));
  if (files.folders.has(path))
    throw new PlainError(davError(409, 'Conflict', 'PUT is not allowed on non-files.'));
  const isThere = files.files.has(path);
  if (isThere && headerOf(request, 'if-none-match') === '*')
    throw new PlainError(
      davError(
        412,
        'PreconditionFailed',
        'An If-None-Match header was specified, but the ETag matched (or * was specified).',
      ),
    );
  const file = newFile(request.body, mimeOf(path));
  files.files.set(path, file);
  return {
    status: isThere ? 204 : 201,
    headers: { ETag: `"${etagOf(file)}"`, 'OC-ETag': `"${etagOf(file)}"`, 'OC-FileId': `${file.id}` },
  };
}

function makeFolder({ files, path }: DavCall): NcAnswer {
  if (files.folders.has(path) || files.files.has(path))
    throw new PlainError(
      davError(405, 'MethodNotAllowed', 'The resource you tried to create already exists'),
    );
  if (!files.hasFolderOf(path)) throw new PlainError(davError(409, 'Conflict', 'Parent node does not exist'));
  files.folders.add(path);
  return { status: 201 };
}

function remove({ files, path }: DavCall): NcAnswer {
  if (path === '')
    throw new PlainError(davError(403, 'Forbidden', 'Permission denied to delete home folder'));
  if (!files.remove(path)) throw new PlainError(notFound(path));
  return { status: 204 };
}

function find({ request, files, path, home }: DavCall): NcAnswer {
  if (!files.files.has(path) && !files.folders.has(path)) throw new PlainError(notFound(path));
  const depth = headerOf(request, 'depth');
  const paths = depth === '0' || files.files.has(path) ? [path] : [path, ...files.childrenOf(path)];
  const resources = paths.map((each): Resource => {
    const file = files.files.get(each) ?? null;
    const href = home + each.split('/').map(encodeURIComponent).join('/');
    return { href: file || href.endsWith('/') ? href : `${href}/`, file };
  });
  return multistatus(resources, propertiesIn(request.body.toString('utf8')));
}

function notFound(path: string): NcAnswer {
  return davError(404, 'NotFound', `File with name /${path} could not be located`);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
