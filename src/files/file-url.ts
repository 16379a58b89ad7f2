/** Where a file is served to whoever knows its token; `publicUrl` has no slash at the end. */
export function fileUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/api/files/${token}`;
}
