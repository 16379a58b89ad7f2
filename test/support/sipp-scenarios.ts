/** A caller: INVITE with PCMU, holds for `holdMs` (sipp echoes RTP meanwhile when told to), then hangs up. */
export function placeAndHold(holdMs: number): string {
  return scenario(
    'place and hold',
    `
  <send retrans="500"><![CDATA[

    INVITE sip:[service]@[remote_ip]:[remote_port] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
    From: <sip:+4930555@[local_ip]:[local_port]>;tag=[pid]from[call_number]
    To: <sip:[service]@[remote_ip]:[remote_port]>
    Call-ID: [call_id]
    CSeq: 1 INVITE
    Contact: <sip:+4930555@[local_ip]:[local_port]>
    Max-Forwards: 70
    Content-Type: application/sdp
    Content-Length: [len]

${sdp()}
  ]]></send>
  <recv response="100" optional="true"/>
  <recv response="180" optional="true"/>
  <recv response="183" optional="true"/>
  <recv response="200" rrs="true" rtd="true"/>
  <send><![CDATA[

    ACK [next_url] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
    [routes]
    From: <sip:+4930555@[local_ip]:[local_port]>;tag=[pid]from[call_number]
    To: <sip:[service]@[remote_ip]:[remote_port]>[peer_tag_param]
    Call-ID: [call_id]
    CSeq: 1 ACK
    Max-Forwards: 70
    Content-Length: 0

  ]]></send>
  <pause milliseconds="${holdMs}"/>
  <send retrans="500"><![CDATA[

    BYE [next_url] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
    [routes]
    From: <sip:+4930555@[local_ip]:[local_port]>;tag=[pid]from[call_number]
    To: <sip:[service]@[remote_ip]:[remote_port]>[peer_tag_param]
    Call-ID: [call_id]
    CSeq: 2 BYE
    Max-Forwards: 70
    Content-Length: 0

  ]]></send>
  <recv response="200"/>`,
  );
}

/** A phone that rings for `ringMs`, answers with PCMU and waits for the other side to hang up. */
export function answerAndWait(ringMs: number): string {
  return scenario(
    'answer and wait',
    `
  <recv request="INVITE" rrs="true"/>
  <send>${reply('180 Ringing')}</send>
  <pause milliseconds="${ringMs}"/>
  <send retrans="500">${reply('200 OK', true)}</send>
  <recv request="ACK"/>
  <recv request="BYE"/>
  <send>${reply('200 OK')}</send>`,
  );
}

/** A phone that refuses every call. */
export function refuse(status: string): string {
  return scenario(
    'refuse',
    `
  <recv request="INVITE"/>
  <send retrans="500">${reply(status)}</send>
  <recv request="ACK"/>`,
  );
}

function scenario(name: string, steps: string): string {
  return `<?xml version="1.0" encoding="ISO-8859-1" ?>\n<scenario name="${name}">${steps}\n</scenario>\n`;
}

function reply(status: string, withSdp = false): string {
  return `<![CDATA[

    SIP/2.0 ${status}
    [last_Via:]
    [last_Record-Route:]
    [last_From:]
    [last_To:];tag=[pid]to[call_number]
    [last_Call-ID:]
    [last_CSeq:]
    Contact: <sip:[local_ip]:[local_port];transport=[transport]>
${withSdp ? `    Content-Type: application/sdp\n    Content-Length: [len]\n\n${sdp()}` : '    Content-Length: 0\n'}
  ]]>`;
}

function sdp(): string {
  return `    v=0
    o=sipp 1 1 IN IP[local_ip_type] [local_ip]
    s=-
    c=IN IP[media_ip_type] [media_ip]
    t=0 0
    m=audio [media_port] RTP/AVP 0
    a=rtpmap:0 PCMU/8000
    a=ptime:20`;
}
