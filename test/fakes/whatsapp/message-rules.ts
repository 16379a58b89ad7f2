import { API_ERRORS, type ApiError, badParameter } from './graph-errors.ts';
import type { MediaStore } from './media-store.ts';
import { mediaOf, type SendRequest } from './message-request.ts';
import type { FakePerson } from './person.ts';

const WINDOW_MS = 24 * 3_600_000;
const TEMPLATE_PARAMETERS = 1;

type Template = Extract<SendRequest, { type: 'template' }>['template'];

/** The pair rate, and the time on Meta's side. */
export interface RuleOptions {
  readonly nowMs: () => number;
  readonly burst: number;
  readonly pairIntervalMs: number;
}

/** What Meta refuses although it is well-formed. */
export class MessageRules {
  /** Approved templates, as `name/language`. */
  readonly templates = new Set(['agent_followup/en']);
  /** WhatsApp has paused all of them for their quality. */
  areTemplatesPaused = false;
  readonly #media: MediaStore;
  readonly #options: RuleOptions;

  constructor(media: MediaStore, options: RuleOptions) {
    this.#media = media;
    this.#options = options;
  }

  mistakeIn(request: SendRequest): ApiError | undefined {
    if (request.to === undefined && request.recipient === undefined) return badParameter('to or recipient');
    if (request.type === 'template') return this.#templateMistake(request.template);
    const wanted = mediaOf(request);
    if (!wanted) return undefined;
    const media = this.#media.find(wanted.id);
    if (!media) return badParameter(`Param ${request.type}['id'] is not a valid media id`);
    const family = request.type === 'sticker' ? 'image/webp' : request.type;
    const fits = request.type === 'document' || media.mime.startsWith(family);
    return fits ? undefined : badParameter(`${media.mime} cannot be sent as ${request.type}`);
  }

  isWindowOpen({ lastWroteMs }: FakePerson): boolean {
    return lastWroteMs !== null && this.#options.nowMs() < lastWroteMs + WINDOW_MS;
  }

  /** So many at once, then one in each interval; counts this one. */
  isTooFast({ takenAtMs }: FakePerson): boolean {
    const { burst, pairIntervalMs, nowMs } = this.#options;
    const since = nowMs() - burst * pairIntervalMs;
    while (takenAtMs.length > 0 && takenAtMs[0]! <= since) takenAtMs.shift();
    if (takenAtMs.length >= burst) return true;
    takenAtMs.push(nowMs());
    return false;
  }

  #templateMistake({ name, language, components = [] }: Template): ApiError | undefined {
    if (!this.templates.has(`${name}/${language.code}`)) return API_ERRORS.noTemplate;
    if (this.areTemplatesPaused) return API_ERRORS.templatePaused;
    const parameters = components.flatMap((component) => component.parameters);
    if (parameters.length !== TEMPLATE_PARAMETERS) return API_ERRORS.templateParameters;
    return parameters.some(({ text }) => /[\n\t]| {5}/.test(text)) ? API_ERRORS.parameterFormat : undefined;
  }
}
