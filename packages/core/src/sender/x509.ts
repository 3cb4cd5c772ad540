import { decodeBody } from '@mintmark/internal'
import { epochSeconds, type EpochSeconds } from '@mintmark/storage-interface'

/** A name in the order of a certificate: relative names, each a set of attributes whose types are OIDs. */
export type DistinguishedName = readonly (readonly NameAttribute[])[]

export interface NameAttribute {
  readonly type: string
  readonly value: string
}

/** The fields of a certificate that client authentication uses (RFC 5280 §4.1). */
export interface ParsedCertificate {
  readonly notBefore: EpochSeconds
  readonly notAfter: EpochSeconds
  /** The subject in the order of the certificate; `undefined` when it has a value that cannot be compared safely. */
  readonly subject: DistinguishedName | undefined
  readonly dns: readonly string[]
  readonly uri: readonly string[]
  readonly email: readonly string[]
  /** Each address has four or sixteen bytes. */
  readonly ip: readonly Uint8Array[]
}

/**
 * Reads the fields of a certificate in DER. Does not verify signatures: the server or proxy that terminates TLS does
 * that.
 * @returns `undefined` for bytes that are not a certificate.
 */
export function parseCertificate(der: Uint8Array): ParsedCertificate | undefined {
  try {
    return readCertificate(der)
  } catch (error) {
    if (error instanceof MalformedDerError) return undefined
    throw error
  }
}

function readCertificate(der: Uint8Array): ParsedCertificate {
  const outer = readElements(der)
  const certificate = onlyChild(outer, tags.sequence)
  const fields = readElements(childOf(readElements(certificate), 0, tags.sequence))
  // RFC 5280 §4.1: the version is left out in version 1, which has no extensions.
  const start = fields[0]?.tag === tags.version ? 1 : 0
  const [notBefore, notAfter] = readElements(childOf(fields, start + 3, tags.sequence)).map(readTime)
  if (notBefore === undefined || notAfter === undefined) throw new MalformedDerError()
  return {
    notBefore,
    notAfter,
    subject: readName(childOf(fields, start + 4, tags.sequence)),
    ...readAlternativeNames(fields.find(({ tag }) => tag === tags.extensions)?.value),
  }
}

/** Reads a name, which is a sequence of sets of attributes (RFC 5280 §4.1.2.4). */
function readName(name: Uint8Array): DistinguishedName | undefined {
  const relative = readElements(name).map(({ value: set }) =>
    readElements(set).map(({ value: attribute }) => {
      const [type, value] = readElements(attribute)
      if (type?.tag !== tags.oid || value === undefined) throw new MalformedDerError()
      return { type: readOid(type.value), value: readString(value) }
    }),
  )
  const isComparable = relative.every((attributes) => attributes.every(({ value }) => value !== undefined))
  return isComparable
    ? relative.map((attributes) => attributes.map(({ type, value = '' }) => ({ type, value })))
    : undefined
}

/** Returns the text of a string; `undefined` for types whose encoding is ambiguous. */
export function readString({ tag, value }: DerElement): string | undefined {
  switch (tag) {
    case tags.utf8:
      return decodeBody(value)
    case tags.printable:
    case tags.ia5:
    case tags.numeric:
      return value.every((byte) => byte < 0x80) ? decodeBody(value) : undefined
    default:
      return undefined
  }
}

type AlternativeNames = Pick<ParsedCertificate, 'dns' | 'uri' | 'email' | 'ip'>

/** Reads the subject alternative names (RFC 5280 §4.2.1.6). */
function readAlternativeNames(extensions: Uint8Array | undefined): AlternativeNames {
  const found = extensions === undefined ? [] : readElements(onlyChild(readElements(extensions), tags.sequence))
  const named = found
    .map(({ value }) => readElements(value))
    .filter(([oid]) => oid?.tag === tags.oid && readOid(oid.value) === subjectAlternativeName)
  // RFC 5280 §4.2: an extension must not be repeated.
  if (named.length > 1) throw new MalformedDerError()
  const octets = named[0]?.at(-1)
  const names = octets === undefined ? [] : readElements(onlyChild(readElements(octets.value), tags.sequence))
  const stringsOf = (tag: number): readonly string[] =>
    names.flatMap((name) => (name.tag === tag ? (readString({ tag: tags.ia5, value: name.value }) ?? []) : []))
  return {
    email: stringsOf(0x81),
    dns: stringsOf(0x82),
    uri: stringsOf(0x86),
    ip: names.filter(({ tag, value }) => tag === 0x87 && [4, 16].includes(value.length)).map(({ value }) => value),
  }
}

/** Reads a UTCTime (until 2049) or a GeneralizedTime (from 2050 on), both in UTC with seconds (RFC 5280 §4.1.2.5). */
function readTime({ tag, value }: DerElement): EpochSeconds {
  const text = decodeBody(value) ?? ''
  const short = tag === tags.utcTime ? /^(\d\d)(\d{10})Z$/.exec(text) : null
  const whole =
    short === null ? (tag === tags.generalizedTime ? text : '') : `${Number(short[1]) < 50 ? 20 : 19}${text}`
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(whole)
  if (match === null) throw new MalformedDerError()
  const [year = 0, month = 0, ...rest] = match.slice(1).map(Number)
  return epochSeconds(Date.UTC(year, month - 1, ...rest) / 1000)
}

function readOid(bytes: Uint8Array): string {
  const arcs: number[] = []
  let arc = 0
  for (const byte of bytes) {
    arc = arc * 128 + (byte & 0x7f)
    if (!Number.isSafeInteger(arc)) throw new MalformedDerError()
    if (byte < 0x80) {
      arcs.push(arc)
      arc = 0
    }
  }
  const [first = 0, ...others] = arcs
  const root = Math.min(2, Math.floor(first / 40))
  return [root, first - root * 40, ...others].join('.')
}

interface DerElement {
  readonly tag: number
  readonly value: Uint8Array
}

/** Reads consecutive DER elements (X.690 §8.1, §10.1). */
export function readElements(bytes: Uint8Array): readonly DerElement[] {
  const elements: DerElement[] = []
  let at = 0
  while (at < bytes.length) {
    const tag = byteAt(bytes, at)
    const first = byteAt(bytes, at + 1)
    // Tags above 30 and indefinite lengths do not occur in certificates.
    if ((tag & 0x1f) === 0x1f || first === 0x80 || first > 0x83) throw new MalformedDerError()
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f
    let length = lengthBytes === 0 ? first : 0
    for (let index = 0; index < lengthBytes; index += 1) length = length * 256 + byteAt(bytes, at + 2 + index)
    const start = at + 2 + lengthBytes
    if (start + length > bytes.length) throw new MalformedDerError()
    elements.push({ tag, value: bytes.subarray(start, start + length) })
    at = start + length
  }
  return elements
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]
  if (byte === undefined) throw new MalformedDerError()
  return byte
}

function onlyChild(elements: readonly DerElement[], tag: number): Uint8Array {
  if (elements.length !== 1) throw new MalformedDerError()
  return childOf(elements, 0, tag)
}

function childOf(elements: readonly DerElement[], index: number, tag: number): Uint8Array {
  const element = elements[index]
  if (element?.tag !== tag) throw new MalformedDerError()
  return element.value
}

/** The bytes are not DER, or not a certificate. */
export class MalformedDerError extends Error {
  override readonly name = 'MalformedDerError'
}

const tags = {
  oid: 0x06,
  utf8: 0x0c,
  numeric: 0x12,
  printable: 0x13,
  ia5: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  version: 0xa0,
  extensions: 0xa3,
} as const

const subjectAlternativeName = '2.5.29.17'
