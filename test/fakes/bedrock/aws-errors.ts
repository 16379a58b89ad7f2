import { VendorError } from '../model-vendor/vendor-error.ts';
import type { Refusal } from '../model-vendor/vendor-fault.ts';

/** An exception of AWS: its name is in a header. https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html */
export function awsError(status: number, name: string, message: string): VendorError {
  return new VendorError(status, { message }, { 'x-amzn-errortype': `${name}:http://internal.amazon.com/` });
}

/** Keys are refused before the service is reached: with a capital letter in the body. */
export function wrongBearer(): VendorError {
  const message = 'Authentication failed: Please make sure your API Key is valid.';
  return new VendorError(403, { Message: message }, { 'x-amzn-errortype': 'AccessDeniedException' });
}

export function invalid(message: string): VendorError {
  return awsError(400, 'ValidationException', message);
}

/** AWS does not say how long to wait. */
export function refusalOf(why: Refusal): VendorError {
  switch (why) {
    case 'bad_key':
      return wrongBearer();
    case 'no_access':
      return awsError(403, 'AccessDeniedException', "You don't have access to the model.");
    case 'quota':
      return awsError(
        429,
        'ThrottlingException',
        'Too many tokens per day, please wait before trying again.',
      );
    case 'rate_limited':
      return awsError(429, 'ThrottlingException', 'Too many requests, please wait before trying again.');
    case 'overloaded':
      return awsError(503, 'ServiceUnavailableException', 'Bedrock is unable to process your request.');
    case 'server_error':
      return awsError(500, 'InternalServerException', 'The system encountered an unexpected error.');
  }
}
