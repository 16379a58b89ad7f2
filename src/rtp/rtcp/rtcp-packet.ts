import { readUint32, writeUint32 } from '../rtp-packet.ts';

/** Packet types of RFC 3550 section 12.1. */
const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const SOURCE_DESCRIPTION = 202;
const GOODBYE = 203;
const CNAME_ITEM = 1;

const VERSION_BITS = 0x80;
const COUNT_MASK = 0x1f;
const SENDER_INFO_BYTES = 20;
const REPORT_BLOCK_BYTES = 24;
/** Seconds from 1900, the NTP epoch, to 1970. */
const NTP_EPOCH_OFFSET_S = 2_208_988_800;

export interface SenderInfo {
  readonly wallMs: number;
  readonly timestamp: number;
  readonly packetsSent: number;
  readonly octetsSent: number;
}

/** A report block (RFC 3550 section 6.4.1) in wire units. */
export interface ReportBlock {
  readonly ssrc: number;
  readonly fractionLost: number;
  readonly cumulativeLost: number;
  readonly highestSequence: number;
  readonly jitterSamples: number;
  readonly lastSenderReport: number;
  readonly delaySinceSenderReport: number;
}

/** Middle 32 bits of an NTP timestamp: seconds as 16.16 fixed point. */
export function ntpMiddle(wallMs: number): number {
  const seconds = wallMs / 1000 + NTP_EPOCH_OFFSET_S;
  return Math.floor((seconds % 0x1_0000) * 0x1_0000) >>> 0;
}

interface Report {
  readonly sender: SenderInfo | null;
  readonly block: ReportBlock | null;
}

/** Writes an SR, or an RR when `sender` is null, at `at`. Returns the offset after it. */
export function writeReport(out: Uint8Array, at: number, ssrc: number, { sender, block }: Report): number {
  let end = at + 8;
  if (sender !== null) end = writeSenderInfo(out, end, sender);
  if (block !== null) end = writeReportBlock(out, end, block);
  writeHeader(out, at, sender === null ? RECEIVER_REPORT : SENDER_REPORT, block === null ? 0 : 1);
  writeLength(out, at, end);
  writeUint32(out, at + 4, ssrc);
  return end;
}

function writeHeader(out: Uint8Array, at: number, type: number, count: number): void {
  out[at] = VERSION_BITS | count;
  out[at + 1] = type;
}

/** Writes the length of the packet from `at` to `end` in the header's unit, words minus one. */
function writeLength(out: Uint8Array, at: number, end: number): void {
  const words = (end - at) / 4 - 1;
  out[at + 2] = words >> 8;
  out[at + 3] = words;
}

function writeSenderInfo(out: Uint8Array, at: number, sender: SenderInfo): number {
  const seconds = sender.wallMs / 1000 + NTP_EPOCH_OFFSET_S;
  writeUint32(out, at, Math.floor(seconds));
  writeUint32(out, at + 4, Math.floor((seconds % 1) * 0x1_0000_0000));
  writeUint32(out, at + 8, sender.timestamp);
  writeUint32(out, at + 12, sender.packetsSent);
  writeUint32(out, at + 16, sender.octetsSent);
  return at + SENDER_INFO_BYTES;
}

function writeReportBlock(out: Uint8Array, at: number, block: ReportBlock): number {
  const lost = Math.min(Math.max(block.cumulativeLost, -0x80_0000), 0x7f_ffff);
  writeUint32(out, at, block.ssrc);
  writeUint32(out, at + 4, (block.fractionLost << 24) | (lost & 0xff_ffff));
  writeUint32(out, at + 8, block.highestSequence);
  writeUint32(out, at + 12, block.jitterSamples);
  writeUint32(out, at + 16, block.lastSenderReport);
  writeUint32(out, at + 20, block.delaySinceSenderReport);
  return at + REPORT_BLOCK_BYTES;
}

/**
 * Writes an SDES packet with the canonical name, required in every compound packet (section 6.1). Returns the offset
 * after it.
 */
export function writeCname(out: Uint8Array, at: number, ssrc: number, cname: string): number {
  writeUint32(out, at + 4, ssrc);
  out[at + 8] = CNAME_ITEM;
  out[at + 9] = cname.length;
  for (let i = 0; i < cname.length; i++) out[at + 10 + i] = cname.charCodeAt(i);
  const itemEnd = at + 10 + cname.length;
  // At least one zero byte ends the list, and zeros pad it to a full word.
  const end = itemEnd + 4 - (itemEnd % 4);
  out.fill(0, itemEnd, end);
  writeHeader(out, at, SOURCE_DESCRIPTION, 1);
  writeLength(out, at, end);
  return end;
}

export function writeGoodbye(out: Uint8Array, at: number, ssrc: number): number {
  writeUint32(out, at + 4, ssrc);
  writeHeader(out, at, GOODBYE, 1);
  writeLength(out, at, at + 8);
  return at + 8;
}

/** Receives the contents of a compound packet. */
export interface RtcpVisitor {
  senderReport(ssrc: number, ntpMiddle: number): void;
  reportBlock(block: ReportBlock): void;
}

/** Reads a compound packet (section 6.1 and appendix A.2). Returns false when it is malformed. */
export function readCompound(bytes: Uint8Array, length: number, visitor: RtcpVisitor): boolean {
  let at = 0;
  while (at + 4 <= length) {
    if ((bytes[at]! & 0xc0) !== VERSION_BITS) return false;
    const end = at + (((bytes[at + 2]! << 8) | bytes[at + 3]!) + 1) * 4;
    if (end > length) return false;
    readOne(bytes, at, end, visitor);
    at = end;
  }
  return at === length && at > 0;
}

function readOne(bytes: Uint8Array, at: number, end: number, visitor: RtcpVisitor): void {
  const type = bytes[at + 1];
  let block = at + 8;
  if (type === SENDER_REPORT && block + SENDER_INFO_BYTES <= end) {
    visitor.senderReport(readUint32(bytes, at + 4), readUint32(bytes, block + 2));
    block += SENDER_INFO_BYTES;
  } else if (type !== RECEIVER_REPORT) return;
  for (let i = bytes[at]! & COUNT_MASK; i > 0 && block + REPORT_BLOCK_BYTES <= end; i--) {
    visitor.reportBlock(readReportBlock(bytes, block));
    block += REPORT_BLOCK_BYTES;
  }
}

function readReportBlock(bytes: Uint8Array, at: number): ReportBlock {
  return {
    ssrc: readUint32(bytes, at),
    fractionLost: bytes[at + 4]!,
    cumulativeLost: (readUint32(bytes, at + 4) << 8) >> 8,
    highestSequence: readUint32(bytes, at + 8),
    jitterSamples: readUint32(bytes, at + 12),
    lastSenderReport: readUint32(bytes, at + 16),
    delaySinceSenderReport: readUint32(bytes, at + 20),
  };
}
