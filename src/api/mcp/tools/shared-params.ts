/** Descriptions of parameters that several tools have. */
export const IDEMPOTENCY_KEY =
  'Text of your choice, new for each action; 1 to 255 printable ASCII characters. Repeating a call with the same key within 24 h has no second effect and returns the first answer. Default: none.';
export const TEXT = '1 to 10000 characters.';
export const ATTACHMENTS =
  'Files, at most 10. Each is {file_id} from svc_file_upload_url, {url, name?, mime?} or {bytes_b64, name, mime}. Default: none.';
