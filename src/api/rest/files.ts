import type { z } from 'zod';
import type { FileDomain } from '../../files/file-domain.ts';
import { fileUrl } from '../../files/file-url.ts';
import { openByToken } from '../../files/open-file.ts';
import { fillReserved, reserveFile, type Slot } from '../../files/reserve-file.ts';
import type { Upload } from '../../files/upload-file.ts';
import { reply } from '../http/answer/reply.ts';
import { isForm } from '../http/request/form-parts.ts';
import { ignoredFieldsHeader } from '../http/request/unknown-field.ts';
import { type Route, resource } from '../http/routing/route.ts';
import {
  File,
  FileParams,
  FileUploadBody,
  FileUploadForm,
  ReserveBody,
  ReservedFile,
  SlotForm,
  SlotParams,
} from '../schema/file.ts';
import type { PublicUrl } from './call-wire.ts';
import { servedFile } from './served-file.ts';
import { fileOfForm, uploadForm } from './uploaded-form.ts';
import { uploadJson } from './uploaded-json.ts';

const PATH = '/api/files';
const runtime = resource('runtime', 'Files');
const open = resource('public', 'Files');

const NO_ROOM = {
  429: 'Too many uploads and downloads at once',
  507: 'The account or the gateway has no space for more files',
} as const;

/** Routes for files: agents upload them, and anyone who knows a file's URL can download it. */
export function fileRoutes(domain: FileDomain, publicUrl: PublicUrl): Route[] {
  return [upload(domain, publicUrl), reserve(domain, publicUrl), fill(domain, publicUrl), serve(domain)];
}

function upload(domain: FileDomain, publicUrl: PublicUrl): Route {
  return runtime.post(PATH, {
    operationId: 'uploadFile',
    summary: 'Upload a file',
    description:
      'As a form, or as JSON with either `url` or `bytes_b64`. All have the same size limit. The file belongs to the account and is served for 24 h. If its first bytes contradict `mime`, they determine the type.',
    streamedBody: FileUploadBody,
    form: FileUploadForm,
    responses: {
      200: { description: 'The file', schema: File },
      400: "Not exactly one of url and bytes_b64, or the URL's host is not public",
      404: 'The URL belongs to the gateway, but to no file',
      410: 'The URL belongs to the gateway, but the platform no longer has the file',
      413: 'File exceeds max size, or the JSON besides `bytes_b64` exceeds 64 KB',
      502: 'The URL could not be fetched',
      ...NO_ROOM,
    },
    handler: async ({ principal, body, signal }) => {
      const { accountId } = principal;
      const { upload: uploaded, ignored } = isForm(body.contentType)
        ? await uploadForm(domain, accountId, body)
        : await uploadJson(domain, accountId, body, signal);
      // In the reply, which is stored with the request's idempotency key.
      return reply(200, fileWire(uploaded, publicUrl()), ignoredFieldsHeader(ignored));
    },
  });
}

function reserve(domain: FileDomain, publicUrl: PublicUrl): Route {
  return runtime.post(`${PATH}/reserve`, {
    operationId: 'reserveFile',
    summary: 'Get a URL for uploading one file without a key',
    body: ReserveBody,
    responses: {
      200: { description: 'The upload URL, valid for 5 minutes', schema: ReservedFile },
      429: 'The account has reached its limit of reserved uploads',
      507: 'The account has reached its limit of files',
    },
    handler: async ({ principal, body }) =>
      reply(200, slotWire(await reserveFile(domain, principal.accountId, body), publicUrl())),
  });
}

function fill(domain: FileDomain, publicUrl: PublicUrl): Route {
  return open.post(`${PATH}/upload/{slot}`, {
    operationId: 'fillReservedFile',
    summary: 'Upload a reserved file',
    description: 'The URL is the only credential. It works until one upload has succeeded.',
    params: SlotParams,
    form: SlotForm,
    responses: {
      200: { description: 'The file', schema: File },
      404: 'Unknown file token',
      413: 'File exceeds max size',
      ...NO_ROOM,
    },
    handler: async ({ params, body }) => {
      const uploaded = await fillReserved(domain, params.slot, () => fileOfForm(domain, body));
      return reply(200, fileWire(uploaded, publicUrl()));
    },
  });
}

function serve(domain: FileDomain): Route {
  return open.get(`${PATH}/{token}`, {
    operationId: 'serveFile',
    summary: 'Download a file, or a range of its bytes',
    description:
      'The token is the only credential. Browsers save the file instead of displaying it, and content that a browser could run is served as plain bytes. HEAD returns only the headers.',
    params: FileParams,
    headers: ['range', 'if-range'],
    responses: {
      200: { description: 'The bytes', contentType: '*/*' },
      206: { description: 'The range', contentType: '*/*' },
      404: 'Unknown file token',
      410: 'The platform no longer has the file',
      416: 'Range not satisfiable',
      502: 'The file could not be fetched from the platform',
      ...NO_ROOM,
    },
    handler: async (request) => {
      const file = await openByToken(domain, request.params.token);
      return servedFile(file, request.header('range'), request.header('if-range'));
    },
  });
}

/** The API representation of an uploaded file. */
export function fileWire({ file, token }: Upload, publicUrl: string): z.output<typeof File> {
  return {
    file_id: file.id,
    url: fileUrl(publicUrl, token),
    name: file.name,
    mime: file.mime,
    size: file.sizeBytes ?? 0,
    expires_at: file.expiresAt,
  };
}

export function slotWire(slot: Slot, publicUrl: string): z.output<typeof ReservedFile> {
  return {
    file_id: slot.fileId,
    upload_url: `${publicUrl}/api/files/upload/${slot.secret}`,
    expires_at: slot.expiresAt,
  };
}
