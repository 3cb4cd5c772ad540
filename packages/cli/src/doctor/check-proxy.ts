import { discoveryUrls } from './check-discovery.ts'
import { fail, ok, type Finding } from './finding.ts'
import type { DoctorTarget } from './patient.ts'

/**
 * The issuer is configuration: what a request says about its own way changes nothing (RFC 9700 §2.6). Otherwise whoever sends a
 * header chooses where codes and passwords go.
 */
export async function checkProxy({ issuer, probe }: DoctorTarget): Promise<readonly Finding[]> {
  const url = discoveryUrls(issuer).openid
  const plain = await probe(url)
  // Where there is no document, that has been said already.
  if (plain?.json === undefined) return []

  const told = await Promise.all(lies.map((headers) => probe(url, { headers })))
  const believed = lies.filter((_, index) => told[index] !== undefined && told[index].text !== plain.text)
  if (believed.length === 0) return [ok('proxy.headers', 'Headers of proxies, forged by a client, change nothing.')]
  const names = believed.flatMap((headers) => Object.keys(headers)).join(', ')
  return [
    fail(
      'proxy.headers',
      `Headers that anybody can send change the document: ${names}.`,
      'Make every address from the configured issuer, and let no proxy or middleware rewrite them by the request.',
    ),
  ]
}

const lies: readonly Readonly<Record<string, string>>[] = [
  { 'x-forwarded-host': 'doctor.invalid' },
  { 'x-forwarded-proto': 'http', 'x-forwarded-port': '80' },
  { forwarded: 'host=doctor.invalid;proto=http' },
  { 'x-forwarded-prefix': '/doctor', 'x-original-url': '/doctor' },
]
