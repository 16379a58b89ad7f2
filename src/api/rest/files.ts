import type { z } from 'zod';
import type { FileDomain } from '../../files/file-domain.ts';
import { fileUrl } from '../../files/file-url.ts';
import { openByToken } from '../../files/open-file.ts';
import { fillReserved, reserveFile, type Slot, type Upload } from '../../files/upload-file.ts';
import { reply } from '../http/answer/reply.ts';
import { isForm } from '../http/request/form-parts.ts';
import { ignoredFieldsHeader } from '../http/request/validation.ts';
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
import { fileOfForm, uploadForm, uploadJson } from './uploads.ts';

const PATH = '/api/files';
const runtime = resource('runtime', 'Files');
const open = resource('public', 'Files');

/** Routes for files: agents upload them, and anyone who knows a file's URL can download it. */
export function fileRoutes(domain: FileDomain, publicUrl: PublicUrl): Route[] {
  return [
    runtime.post(PATH, {
      operationId: 'uploadFile',
      summary: 'Upload a file',
      description:
        'As a form, or as JSON with either `url` or `bytes_b64`. All have the same size limit. The file belongs to the account and is served for 24 h. If its first bytes contradict `mime`, they determine the type.',
      streamedBody: FileUploadBody,
      form: FileUploadForm,
      responses: { 200: { description: 'The file', schema: File } },
      fails: [
        'file_source',
        'url_blocked',
        'file_too_large',
        'too_many_transfers',
        'url_failed',
        'storage_full',
        'disk_full',
        {
          file_not_found: 'The URL belongs to the gateway, but to no file',
          file_gone: 'The URL belongs to the gateway, but the platform no longer has the file',
        },
      ],
      handler: async ({ principal, body, signal }) => {
        const { accountId } = principal;
        const { upload: uploaded, ignored } = isForm(body.contentType)
          ? await uploadForm(domain, accountId, body)
          : await uploadJson(domain, accountId, body, signal);
        // In the reply, which is stored with the request's idempotency key.
        return reply(200, fileWire(uploaded, publicUrl()), ignoredFieldsHeader(ignored));
      },
    }),
    runtime.post(`${PATH}/reserve`, {
      operationId: 'reserveFile',
      summary: 'Get a URL for uploading one file without a key',
      body: ReserveBody,
      responses: { 200: { description: 'The upload URL, valid for 5 minutes', schema: ReservedFile } },
      fails: ['too_many_slots', { storage_full: 'The account has reached its limit of files' }],
      handler: async ({ principal, body }) =>
        reply(200, slotWire(await reserveFile(domain, principal.accountId, body), publicUrl())),
    }),
    open.post(`${PATH}/upload/{slot}`, {
      operationId: 'fillReservedFile',
      summary: 'Upload a reserved file',
      description: 'The URL is the only credential. It works until one upload has succeeded.',
      params: SlotParams,
      form: SlotForm,
      responses: { 200: { description: 'The file', schema: File } },
      fails: ['file_not_found', 'file_too_large', 'too_many_transfers', 'storage_full', 'disk_full'],
      handler: async ({ params, body }) => {
        const uploaded = await fillReserved(domain, params.slot, () => fileOfForm(domain, body));
        return reply(200, fileWire(uploaded, publicUrl()));
      },
    }),
    open.get(`${PATH}/{token}`, {
      operationId: 'serveFile',
      summary: 'Download a file, or a range of its bytes',
      description:
        'The token is the only credential. Browsers save the file instead of displaying it, and content that a browser could run is served as plain bytes. HEAD returns only the headers.',
      params: FileParams,
      headers: ['range', 'if-range'],
      responses: {
        200: { description: 'The bytes', contentType: '*/*' },
        206: { description: 'The range', contentType: '*/*' },
        416: 'Range not satisfiable',
      },
      fails: [
        'file_not_found',
        'file_gone',
        'too_many_transfers',
        'storage_full',
        'disk_full',
        { platform_failed: 'The file could not be fetched from the platform' },
      ],
      handler: async (request) => {
        const file = await openByToken(domain, request.params.token);
        return servedFile(file, request.header('range'), request.header('if-range'));
      },
    }),
  ];
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
