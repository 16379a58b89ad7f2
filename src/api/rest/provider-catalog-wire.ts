import type { z } from 'zod';
import { PROVIDER_CATALOG, type ProviderField, type ProviderKind } from '../../agents/provider-catalog.ts';
import { EVENT_TYPES } from '../../agents/provider-settings.ts';
import type { ProviderCatalog } from '../schema/agent-provider.ts';

type Catalog = z.output<typeof ProviderCatalog>;
type Entry = Catalog['providers'][number];

/** The API representation of the provider catalog, with each provider's settings as a JSON Schema. */
export function catalogWire(): Catalog {
  return { providers: PROVIDER_CATALOG.map(entryWire), event_types: [...EVENT_TYPES] };
}

function entryWire({ name, title, fields, anyOf }: ProviderKind): Entry {
  return {
    name,
    title,
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, propertyWire(field)])),
      required: fields.filter((field) => field.isRequired).map((field) => field.name),
      ...(anyOf ? { anyOf: anyOf.map((field) => ({ required: [field] })) } : {}),
      additionalProperties: false,
    },
  };
}

function propertyWire(field: ProviderField): Entry['schema']['properties'][string] {
  return {
    type: 'string',
    title: field.title,
    description: field.description,
    ...(field.kind === 'url' ? { format: 'uri' as const } : {}),
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(field.kind === 'secret' ? { writeOnly: true as const } : {}),
  };
}
