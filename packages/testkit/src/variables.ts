import type { Json } from './transcripts/transcript.ts'

/** What `{{name}}` stands for. */
export type Variables = ReadonlyMap<string, string>

/** The same value with every `{{name}}` filled in; one that is not known stays, and no server finds it. */
export function fillIn(value: Json, variables: Variables): Json {
  if (typeof value === 'string') return fillInText(value, variables)
  if (Array.isArray(value)) return value.map((item: Json) => fillIn(item, variables))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillIn(member, variables)]))
}

/** The same for a text. */
export const fillInText = (text: string, variables: Variables): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => variables.get(name) ?? whole)

/** What stands at a place such as `Resources.0.id`; undefined when nothing does. A name with dots in it stands in single quotes. */
export function valueAt(body: Json | undefined, place: string): Json | undefined {
  let value = body
  for (const [, quoted, plain] of place.matchAll(/'([^']*)'|([^.']+)/g)) value = memberOf(value, quoted ?? plain ?? '')
  return value
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, Json>>)[name]
}
