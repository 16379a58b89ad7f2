/** A model that can be asked for. */
export interface FakeModel {
  readonly id: string;
  /** Takes `reasoning`. */
  readonly isReasoning?: true;
  readonly shutdownDate?: string;
}

/** A model as `GET /models` lists it. */
export function modelWire({ id, shutdownDate }: FakeModel): object {
  const wire = { id, object: 'model', created: 1_700_000_000, owned_by: 'system' };
  return shutdownDate === undefined ? wire : { ...wire, shutdown_date: shutdownDate };
}
