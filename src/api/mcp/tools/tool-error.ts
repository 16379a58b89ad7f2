import type { CallToolResult } from '@modelcontextprotocol/server';
import type { JsonReply } from '../../http/reply.ts';
import type { ErrorBody, ValidationErrorBody, ValidationFault } from '../../schema/error-body.ts';

/** Where a result that is an error says so for programs. */
export const ERROR_META_KEY = 'svc/error';

/**
 * The result for an answer that is an error, with the status and the text of the REST API. What is for programs is no
 * structured content: clients hold that against the tool's output schema, of an error as well. The keys are in the order
 * in which the SDK writes them.
 */
export function toolError({ status, body, text }: JsonReply, requestId: string): CallToolResult {
  const { detail } = (body ?? JSON.parse(text ?? '{}')) as ErrorBody | ValidationErrorBody;
  return {
    _meta: { [ERROR_META_KEY]: { status, detail, request_id: requestId } },
    content: [{ type: 'text', text: `${status} ${wordsOf(detail)}` }],
    isError: true,
  };
}

function wordsOf(detail: (ErrorBody | ValidationErrorBody)['detail']): string {
  if (typeof detail === 'string') return detail;
  return detail.map(faultWords).join('; ');
}

function faultWords({ loc, msg }: ValidationFault): string {
  const where = loc.slice(1).join('.');
  return where === '' ? msg : `${where}: ${msg}`;
}
