/**
 * The server library reads this variable when it is loaded, so this file is imported before it. Its own default of
 * 4 KB is less than what proxies and signed tokens put into a request's headers; 16 KB is what most servers take.
 */
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= '16384';
