/** What Meta answers when it does not do something. */
export interface ApiError {
  readonly httpStatus: number;
  readonly code: number;
  readonly title: string;
  readonly details?: string;
}

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes */
export const API_ERRORS = {
  unknownObject: {
    httpStatus: 400,
    code: 100,
    title: 'Unsupported request. The object does not exist or cannot be loaded.',
  },
  badToken: { httpStatus: 401, code: 190, title: 'Invalid OAuth access token - Cannot parse access token' },
  windowClosed: {
    httpStatus: 400,
    code: 131_047,
    title: 'Re-engagement message',
    details: 'Message failed to send because more than 24 hours have passed since the customer last replied.',
  },
  pairRate: {
    httpStatus: 400,
    code: 131_056,
    title: '(Business Account, Consumer Account) pair rate limit hit',
    details: 'Too many messages were sent from this number to the same number in a short time.',
  },
  undeliverable: {
    httpStatus: 400,
    code: 131_026,
    title: 'Message undeliverable',
    details: 'Message Undeliverable.',
  },
  noTemplate: {
    httpStatus: 404,
    code: 132_001,
    title: 'Template name does not exist in the translation',
    details: 'template name does not exist in the language',
  },
  templatePaused: {
    httpStatus: 400,
    code: 132_015,
    title: 'Template is Paused',
    details: 'Template is paused due to low quality so it cannot be sent in a template message.',
  },
  templateParameters: {
    httpStatus: 400,
    code: 132_000,
    title: 'Number of parameters does not match the expected number of params',
    details: 'body: number of localizable_params does not match the expected number of params',
  },
  parameterFormat: {
    httpStatus: 400,
    code: 132_018,
    title: 'Template parameter format',
    details: 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
  },
  down: { httpStatus: 500, code: 131_000, title: 'Something went wrong' },
} as const satisfies Record<string, ApiError>;

/** Some parameter of a request is not what it must be. */
export function badParameter(details: string): ApiError {
  return { httpStatus: 400, code: 100, title: 'Invalid parameter', details };
}

/** As an answer has it. */
export function errorBody({ code, title, details }: ApiError): object {
  return {
    error: {
      message: `(#${code}) ${title}`,
      type: 'OAuthException',
      code,
      ...(details ? { error_data: { messaging_product: 'whatsapp', details } } : {}),
      fbtrace_id: 'A0trace0of0a0test',
    },
  };
}

/** As a status has it. */
export function statusError({ code, title, details }: ApiError): object {
  return { code, title, message: title, ...(details ? { error_data: { details } } : {}) };
}
