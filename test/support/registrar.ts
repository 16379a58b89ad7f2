import { createHash } from 'node:crypto';
import type { Certificate } from './certificate.ts';
import { type DigestAlgorithm, DigestServer } from './digest-server.ts';
import { claimSignalingPorts, type PortClaim } from './free-ports.ts';
import { type SipFlow, SipFlows } from './sip-flows.ts';
import {
  parseSipUri,
  REGISTRAR_TAG,
  respond,
  type SipAddress,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  type SipVia,
} from './sip-message.ts';
import { SIP_RULES } from './sip-rules.ts';
import { waitFor } from './wait-for.ts';

export interface RegistrarOptions {
  /** User → password. */
  readonly users: Readonly<Record<string, string>>;
  readonly realm?: string;
  readonly algorithms?: readonly DigestAlgorithm[];
  /** Called number → user whose binding gets the call; users can be called by their name too. */
  readonly numbers?: Readonly<Record<string, string>>;
  /** Where inbound calls keep the called number: in the Request-URI, or in To only, the Request-URI being the contact. */
  readonly requestUri?: 'number' | 'contact';
  /** Asks for credentials (407) before it passes an INVITE on. */
  readonly challengeInvites?: boolean;
  /** Stays on the path of the whole dialog. */
  readonly recordRoute?: boolean;
  /** Refuses shorter registrations with 423. */
  readonly minExpiresS?: number;
  /** Grants at most this. */
  readonly maxExpiresS?: number;
  /** After so many requests a nonce is stale. */
  readonly nonceUses?: number;
  readonly certificate?: Certificate;
}

export interface Binding {
  readonly user: string;
  readonly contact: string;
  readonly expiresS: number;
  readonly flow: SipFlow;
}

/** A request as it came in. */
export interface ReceivedRequest {
  readonly atMs: number;
  readonly request: SipRequest;
  readonly protocol: SipFlow['protocol'];
  /** It was thrown away on purpose. */
  readonly lost: boolean;
}

const HOST = '127.0.0.1';
const DEFAULT_EXPIRES_S = 3_600;

/** A trunk provider in small: registrar and stateless proxy (RFC 3261 sections 10.3 and 16.11), strict in what it takes. */
export class Registrar {
  readonly host = HOST;
  readonly port: number;
  readonly tlsPort: number;
  readonly requests: ReceivedRequest[] = [];
  /** Violations of RFC 3261 in the requests. */
  readonly violations: string[] = [];
  readonly #options: RegistrarOptions;
  readonly #digest: DigestServer;
  readonly #bindings = new Map<string, Binding>();
  readonly #answered = new Map<string, SipResponse>();
  readonly #claim: PortClaim;
  #flows!: SipFlows;
  #toLose: { method: string; left: number } = { method: '', left: 0 };
  #refusal: { status: number; reason: string } | null = null;

  private constructor(options: RegistrarOptions, claim: PortClaim) {
    this.#options = options;
    this.#claim = claim;
    this.port = claim.first;
    this.tlsPort = claim.first + 1;
    this.#digest = new DigestServer({
      realm: options.realm ?? 'registrar.test',
      algorithms: options.algorithms ?? ['SHA-256', 'MD5'],
      nonceUses: options.nonceUses ?? Number.POSITIVE_INFINITY,
    });
  }

  static async start(options: RegistrarOptions): Promise<Registrar> {
    const registrar = new Registrar(options, await claimSignalingPorts(2));
    const { certificate } = options;
    registrar.#flows = await SipFlows.open(
      { host: HOST, port: registrar.port, ...(certificate === undefined ? {} : { certificate }) },
      (message, flow) => registrar.#receive(message, flow),
    );
    return registrar;
  }

  binding(user: string): Binding | null {
    return this.#bindings.get(user) ?? null;
  }

  /** Waits for a user to be registered. */
  waitForBinding(user: string, deadlineMs?: number): Promise<Binding> {
    return waitFor(`${user} to register`, () => this.binding(user), deadlineMs);
  }

  /** Waits until so many requests of a method have come in, lost ones included. */
  async waitForRequests(method: string, count: number, deadlineMs?: number): Promise<ReceivedRequest[]> {
    await waitFor(`${count} ${method} requests`, () => this.requestsOf(method).length >= count, deadlineMs);
    return this.requestsOf(method);
  }

  requestsOf(method: string): ReceivedRequest[] {
    return this.requests.filter((received) => received.request.method === method);
  }

  /** Throws the next `count` requests of a method away, as a bad network does. */
  loseRequests(method: string, count: number): void {
    this.#toLose = { method, left: count };
  }

  /** Answers every REGISTER with this until told otherwise by null. */
  refuseRegistrations(refusal: { status: number; reason: string } | null): void {
    this.#refusal = refusal;
  }

  /** Makes every nonce stale. */
  expireNonces(): void {
    this.#digest.expireNonces();
  }

  /** Forgets all bindings, as a restarted registrar does. */
  forgetBindings(): void {
    this.#bindings.clear();
  }

  dropConnections(): void {
    this.#flows.dropConnections();
  }

  async stop(): Promise<void> {
    await this.#flows.close();
    this.#claim.release();
  }

  #receive(message: SipMessage, flow: SipFlow): void {
    if (message.method === undefined) {
      this.#passResponse(message);
      return;
    }
    const lost = this.#toLose.method === message.method && this.#toLose.left > 0;
    this.requests.push({ atMs: performance.now(), request: message, protocol: flow.protocol, lost });
    if (lost) {
      this.#toLose.left--;
      return;
    }
    for (const rule of SIP_RULES) {
      const broken = rule(message);
      if (broken !== null) this.violations.push(`${message.method}: ${broken}`);
    }
    this.#handle(message, flow);
  }

  #handle(request: SipRequest, flow: SipFlow): void {
    const ours = request.headers.to.params.tag?.startsWith(REGISTRAR_TAG);
    if (request.method === 'ACK' && ours) return;
    const repeated = this.#answered.get(transactionKey(request));
    if (repeated !== undefined) flow.send(repeated);
    else if (request.method === 'REGISTER') this.#register(request, flow);
    else if (request.method === 'OPTIONS' && parseSipUri(request.uri).user === undefined) {
      this.#answer(request, flow, [200, 'OK']);
    } else this.#pass(request, flow);
  }

  #answer(
    request: SipRequest,
    flow: SipFlow,
    [status, reason]: readonly [status: number, reason: string],
    headers: Record<string, unknown> = {},
  ): void {
    const response = respond(request, status, reason, headers);
    this.#answered.set(transactionKey(request), response);
    flow.send(response);
  }

  #register(request: SipRequest, flow: SipFlow): void {
    if (this.#refusal !== null) {
      this.#answer(request, flow, [this.#refusal.status, this.#refusal.reason]);
      return;
    }
    const user = parseSipUri(request.headers.to.uri).user ?? '';
    const verdict = this.#digest.verify(request.headers.authorization, request, (name) =>
      name === user ? (this.#options.users[name] ?? null) : null,
    );
    if (!verdict.accepted) {
      if (request.headers.authorization && !verdict.stale) this.violations.push(`digest: ${verdict.why}`);
      const challenges = this.#digest.challenges(verdict.stale);
      this.#answer(request, flow, [401, 'Unauthorized'], { 'www-authenticate': challenges });
      return;
    }
    this.#bind(user, request, flow);
  }

  #bind(user: string, request: SipRequest, flow: SipFlow): void {
    const { contact } = request.headers;
    const expiresHeader = Number(request.headers.expires ?? DEFAULT_EXPIRES_S);
    const first = contact === '*' ? undefined : contact?.[0];
    const wantedS = Number(first?.params.expires ?? expiresHeader);
    const { minExpiresS = 0, maxExpiresS = DEFAULT_EXPIRES_S } = this.#options;
    if (wantedS > 0 && wantedS < minExpiresS) {
      this.#answer(request, flow, [423, 'Interval Too Brief'], { 'min-expires': `${minExpiresS}` });
      return;
    }
    const expiresS = Math.min(wantedS, Math.max(maxExpiresS, minExpiresS));
    if (wantedS === 0) this.#bindings.delete(user);
    else if (first !== undefined) this.#bindings.set(user, { user, contact: first.uri, expiresS, flow });
    this.#answer(request, flow, [200, 'OK'], this.#contactOf(user));
  }

  #contactOf(user: string): { contact?: SipAddress[] } {
    const binding = this.#bindings.get(user);
    if (binding === undefined) return {};
    return { contact: [{ uri: binding.contact, params: { expires: `${binding.expiresS}` } }] };
  }

  /** Passes a request on without keeping state: the branch is a function of the sender's (section 16.11). */
  #pass(request: SipRequest, from: SipFlow): void {
    const target = this.#target(request);
    if (target === null) {
      if (request.method !== 'ACK') this.#answer(request, from, [404, 'Not Found']);
      return;
    }
    if (!this.#mayCall(request, from)) return;
    const { flow, uri, recordRoute } = target;
    const { headers } = request;
    const branch = `z9hG4bK${digestOf(headers.via[0]?.params.branch ?? '', this.port)}`;
    const ownVia = {
      version: '2.0',
      protocol: flow.protocol,
      host: HOST,
      port: flow.protocol === 'TLS' ? this.tlsPort : this.port,
      params: { branch, rport: null, flow: from.id },
    };
    // A path with two transports would need two entries (RFC 5658).
    const stayOnPath = recordRoute && flow.protocol === from.protocol;
    flow.send({
      ...request,
      uri,
      headers: {
        ...headers,
        via: [ownVia, ...headers.via],
        'max-forwards': `${Number(headers['max-forwards']) - 1}`,
        ...(stayOnPath ? { 'record-route': this.#recordRoute(headers, ownVia) } : {}),
      },
    });
  }

  #recordRoute(headers: SipRequest['headers'], via: SipVia): unknown[] {
    const own = { uri: `sip:${via.host}:${via.port};transport=${via.protocol.toLowerCase()};lr`, params: {} };
    return [own, ...((headers['record-route'] as unknown[] | undefined) ?? [])];
  }

  /** New INVITEs need credentials when challenged; other requests belong to a dialog that was accepted. */
  #mayCall(request: SipRequest, flow: SipFlow): boolean {
    const isNewInvite = request.method === 'INVITE' && request.headers.to.params.tag === undefined;
    if (!this.#options.challengeInvites || !isNewInvite) return true;
    const credentials = request.headers['proxy-authorization'];
    const verdict = this.#digest.verify(credentials, request, (name) => this.#options.users[name] ?? null);
    if (verdict.accepted) return true;
    if (credentials && !verdict.stale) this.violations.push(`digest: ${verdict.why}`);
    const challenges = this.#digest.challenges(verdict.stale);
    this.#answer(request, flow, [407, 'Proxy Authentication Required'], { 'proxy-authenticate': challenges });
    return false;
  }

  #target(request: SipRequest): { flow: SipFlow; uri: string; recordRoute: boolean } | null {
    const { host, port, user } = parseSipUri(request.uri);
    const ownRoute = request.headers.route?.[0]?.uri;
    if (ownRoute !== undefined && this.#isUs(ownRoute)) request.headers.route?.shift();
    if (!this.#isUs({ host, port }))
      return { flow: this.#flowTo(host, port), uri: request.uri, recordRoute: false };
    const binding = this.#bindings.get(this.#options.numbers?.[user ?? ''] ?? user ?? '');
    if (binding === undefined) return null;
    const contact = parseSipUri(binding.contact);
    const uri =
      this.#options.requestUri === 'number'
        ? `sip:${user}@${contact.host}:${contact.port || 5060}`
        : binding.contact;
    return { flow: binding.flow, uri, recordRoute: this.#options.recordRoute ?? false };
  }

  #isUs({ host, port }: { host: string; port: number }): boolean {
    return host === HOST && (port === this.port || port === this.tlsPort);
  }

  /** The connection whose other end this is, or over which this contact registered, or else UDP. */
  #flowTo(host: string, port: number): SipFlow {
    const connection = this.#flows.get(`TCP-${host}-${port}`) ?? this.#flows.get(`TLS-${host}-${port}`);
    if (connection !== null) return connection;
    for (const binding of this.#bindings.values()) {
      const contact = parseSipUri(binding.contact);
      if (contact.host === host && contact.port === port) return binding.flow;
    }
    return this.#flows.udpFlow(host, port || 5060);
  }

  #passResponse(response: SipResponse): void {
    const [ownVia, ...rest] = response.headers.via;
    const flow = this.#flows.get(ownVia?.params.flow ?? '');
    if (flow === null || rest.length === 0) return;
    flow.send({ ...response, headers: { ...response.headers, via: rest } });
  }
}

function transactionKey(request: SipRequest): string {
  return `${request.method} ${request.headers['call-id']} ${request.headers.via[0]?.params.branch}`;
}

function digestOf(branch: string, port: number): string {
  return createHash('sha1').update(`${branch} ${port}`).digest('hex').slice(0, 20);
}
