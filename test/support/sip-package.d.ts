/** The parts of the npm package `sip` that the registrar uses; it ships no types. */
declare module 'sip' {
  import type { SipMessage, SipRequest } from './sip-message.ts';

  const sip: {
    parse(bytes: Buffer): SipMessage | undefined;
    stringify(message: SipMessage): string;
    makeResponse(request: SipRequest, status: number, reason: string): SipMessage;
    makeStreamParser(onMessage: (message: SipMessage) => void): (data: string) => void;
    parseUri(uri: string): import('./sip-message.ts').SipUri | undefined;
  };
  // biome-ignore lint/style/noDefaultExport: that is how CommonJS looks from here
  export default sip;
}
