import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Fault, type NcFaults, newFaults } from '../refusal.ts';
import type { Area } from './area.ts';
import { type NcAnswer, OcsError, ocsAnswer, PlainError, send } from './nc-answer.ts';
import { type NcRequest, readRequest } from './nc-request.ts';
import type { NcScene } from './ocs-route.ts';
import type { PhpSessions } from './php-sessions.ts';
import { pageAnswer } from './web-page.ts';

const MAINTENANCE = ocsAnswer(503, [], {
  message: 'Service unavailable',
  headers: { 'X-Nextcloud-Maintenance-Mode': '1' },
});

/** Takes requests, and hands them to the part of the Nextcloud that they are for. */
export class NcFront {
  /** Mistakes in requests: tests expect none. */
  readonly mistakes: string[] = [];
  /** Requests so far: name and path. */
  readonly calls: string[] = [];
  readonly #areas: readonly Area[];
  readonly #sessions: PhpSessions;
  readonly #scene: () => Omit<NcScene, 'mistake'>;
  readonly #faults: NcFaults;

  constructor(
    areas: readonly Area[],
    sessions: PhpSessions,
    scene: () => Omit<NcScene, 'mistake'>,
    faults: NcFaults = newFaults(),
  ) {
    this.#faults = faults;
    this.#areas = areas;
    this.#sessions = sessions;
    this.#scene = scene;
  }

  fail(name: string, faults: readonly (Fault | null)[]): void {
    this.#faults.add(name, faults);
  }

  async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    // Nobody is left to answer when the body does not come whole.
    const request = await readRequest(message, gone.signal).catch(() => null);
    if (!request) return;
    try {
      await this.#answer(request, response);
    } catch (error) {
      send(response, this.#refusal(request, error));
    }
  }

  async #answer(request: NcRequest, response: ServerResponse): Promise<void> {
    const scene = { ...this.#scene(), mistake: (words: string) => void this.mistakes.push(words) };
    if (scene.world.policy.isInMaintenance) return send(response, MAINTENANCE);
    const { session, setCookies } = this.#sessions.of(request);
    const handling = this.#areas.reduce(
      (found, area) => found ?? area.handling({ request, session, scene }),
      null as ReturnType<Area['handling']>,
    );
    if (!handling) throw new PlainError(pageAnswer('Page not found', '', 404), true);
    this.calls.push(`${handling.name} ${request.method} ${request.path}`);
    const fault = this.#faults.take(handling.name);
    if (fault && !fault.isAfterwards) return fault.apply(response);
    const answer = await handling.run();
    if (fault) fault.apply(response);
    else send(response, { ...answer, headers: { ...answer.headers, 'Set-Cookie': [...setCookies] } });
  }

  #refusal({ method, path }: NcRequest, error: unknown): NcAnswer {
    const isKnown = error instanceof OcsError || error instanceof PlainError;
    if (!isKnown || error.isMistake) this.mistakes.push(`${method} ${path}: ${(error as Error).message}`);
    return isKnown ? error.answer : ocsAnswer(500, [], { message: `${error}` });
  }
}
