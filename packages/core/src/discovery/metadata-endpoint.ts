import { json, type Endpoint } from '../http/index.ts'

/** Answers with the metadata document, which is computed once. */
export function metadataEndpoint(metadata: Readonly<Record<string, unknown>>): Endpoint {
  const response = json(200, metadata, [['Cache-Control', 'public, max-age=300']])
  return () => Promise.resolve(response)
}
