/** The request to both sides. */
export const ACCOUNT_CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'svc_account', arguments: {} },
});

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
});

export function headersOf(key: string): Record<string, string> {
  return {
    authorization: `Bearer ${key}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': '2025-11-25',
  };
}

/** Opens a session; its id. */
export async function openSession(baseUrl: string, key: string): Promise<string> {
  const response = await post(`${baseUrl}/mcp?stateful`, key, INITIALIZE);
  const id = response.headers.get('mcp-session-id');
  if (id === null) throw new Error(`no session: ${response.status} ${await response.text()}`);
  await response.text();
  return id;
}

/** The result of one call. */
export async function callAccount(
  baseUrl: string,
  key: string,
): Promise<{ readonly structuredContent: Record<string, unknown> }> {
  const text = await (await post(`${baseUrl}/mcp`, key, ACCOUNT_CALL)).text();
  const json = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
  const { result } = JSON.parse(json);
  if (result?.structuredContent === undefined) throw new Error(`no account: ${text}`);
  return result;
}

function post(url: string, key: string, body: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers: headersOf(key), body });
}
