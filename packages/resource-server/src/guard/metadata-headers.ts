/** RFC 9728 §3.2: JSON, for everybody, browsers of other sites included. */
export const metadataHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'application/json',
  'Cache-Control': 'public, max-age=300',
  'Access-Control-Allow-Origin': '*',
}
