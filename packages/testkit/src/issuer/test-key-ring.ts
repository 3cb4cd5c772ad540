import type { KeyRing, SigningAlgorithm } from '@mintmark/core'
import type { PublicKey, Signer } from '@mintmark/core/internal'
import { type JsonObject, keyId } from '@mintmark/storage-interface'

/** A key ring whose ES256 key can be rotated. */
export interface TestKeyRing extends KeyRing {
  /** Signs with the other ES256 key from now on. The previous one stays published. */
  rotate(): void
}

/** Creates a key ring from the published keys. It neither creates nor stores keys. */
export function testKeyRing(): TestKeyRing {
  const [first, second, rsa] = publishedKeys
  let [published, signing]: [readonly PublishedKey[], PublishedKey] = [[first, rsa], first]
  let publicKeys: readonly PublicKey[] = published.map(publicKey)

  return {
    algorithms: ['ES256', 'RS256'],
    signer: (algorithm) => signerOf(algorithm === 'RS256' ? rsa : signing, algorithm),
    publicKeys: async () => publicKeys,
    // This secret is public, like the keys below.
    deriveSecrets: async () => [new Uint8Array(32)],
    rotate() {
      signing = signing === first ? second : first
      published = [first, rsa, second]
      publicKeys = published.map(publicKey)
    },
  }
}

function publicKey({ keyId: kid, algorithm, privateJwk }: PublishedKey): PublicKey {
  const { kty, crv, x, y, n, e } = privateJwk
  const members = Object.entries({ kid, kty, alg: algorithm, use: 'sig', crv, x, y, n, e })
  const jwk = Object.fromEntries(
    members.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )
  return { keyId: keyId(kid), algorithm, jwk: jwk satisfies JsonObject }
}

async function signerOf({ keyId: kid, privateJwk }: PublishedKey, algorithm: SigningAlgorithm): Promise<Signer> {
  const [imported, parameters] = algorithm === 'RS256' ? [rsaImport, rsaImport.name] : [ecImport, ecSignature]
  const key = await crypto.subtle.importKey('jwk', privateJwk, imported, false, ['sign'])
  return {
    keyId: keyId(kid),
    algorithm,
    sign: async (bytes) => new Uint8Array(await crypto.subtle.sign(parameters, key, new Uint8Array(bytes))),
  }
}

const rsaImport = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
const ecImport = { name: 'ECDSA', namedCurve: 'P-256' }
const ecSignature = { name: 'ECDSA', hash: 'SHA-256' }

/** A signing key whose private key is public. */
interface PublishedKey {
  readonly keyId: string
  readonly algorithm: SigningAlgorithm
  readonly privateJwk: Readonly<Record<string, string>>
}

/**
 * The keys of all test issuers. They are fixed, so that no test waits for key generation. The private keys are
 * published here, so anybody can sign with them. For this reason test issuers do not start in production.
 */
const publishedKeys: readonly [PublishedKey, PublishedKey, PublishedKey] = [
  {
    keyId: 'test-es256-1',
    algorithm: 'ES256',
    privateJwk: {
      kty: 'EC',
      x: '4NVZFXBQUc00D1Vop4SlpbmE06whKAiDyielzMrTgQY',
      y: '_3Mkf0HsfrYPqsCdsbuJxa4-tAiuTgyda9N4D8EhI74',
      crv: 'P-256',
      d: 'jrWEo7c1ijqwJYQ1PnQ3zd1mf-OjKZN4wSCeOH4jRdc',
    },
  },
  {
    keyId: 'test-es256-2',
    algorithm: 'ES256',
    privateJwk: {
      kty: 'EC',
      x: 'PmWhSt2CB-7AUXiOM5xQJaZHcV_cfZ2U7aLsM6_binc',
      y: '_nvOi4fTTxZSre4_BQk8r5_Hviw3RM5rKCXQ4VksZXY',
      crv: 'P-256',
      d: 'N1MUV5HxVEZFeNFoOCwvAnakVlu39TPLgBrHjc2WMSg',
    },
  },
  {
    keyId: 'test-rs256-1',
    algorithm: 'RS256',
    privateJwk: {
      kty: 'RSA',
      n: 't7BW-d2W6Etf9yaJtQX9IY0wkbff-sZlL1mWTR8WD44SK_havetUpAmEsLF_hcQfnJTEIcu6ocGkpQNJOM7HShytuiq2afRfyR_8mJCrnJ8T2NoLujKqJD172txse0UeGo9sKBkLl92ckSYUd94qu7FlUaIAJ55dcppw8spyye1XElNmHPic9gKTnwu0KksWLWhsftGJPgxQuflNxVYCnCVKmMOt3hGTdq4f9YslRwD-mllr3UU05vuDKdtGfifQiQNqH7UWm29klvsg_nisWhtIyzfezwWyGvv7ETOEJ8bFO4SoQ9r8_pP2BC3Y3g2ZGodAzS-no2-vBKBzVZfU8Q',
      e: 'AQAB',
      d: 'D0DDWChAWbW4mEtI8BE5Pcn9mHwOS0KiMFZeFrVYHZ6Mf741usOJ2b04mXuDvVXV0ijASJYkPz5XL6SgNellvw-2lVjqoM28DnVrgjexKGZFPaKNir6eRjgcysW29F1-7HGwZ3v87HVohN0GohV-sus-IJM1NBUAaX3NlzucYIwCxGqd8RC_DrkESTsVMKHdUzpngGq8kVpJqWIBu5YflMHSMXVnze_iaH4-rc3eEwiN1p1ee0CO9VC9d6BdFxv_D2ona7u3xkD7EBaSX6BXsGX-Er-6-evrbz92rHq5YkfSAnX6IeAU6VQySUkdOtyorkHe3kJlaaASre9-VRHs4Q',
      p: '3AT5IyrSIpQ0rhWGOzD9_zzh8w_pzJhMGOdyiISf5y_cQRk0uw2u0iJGeNjSSTD0XUh8WmLWtyxDBG-8ovMyrQbLEzR-C844gyWVc1RgRXgCdbTmWZN4nCN9r0nmnVrrU0onCW-HrVSTfs5GqSHJamWdzoVadIz-14K3XP2_rRU',
      q: '1bpmebeZKNZGjsftmkrqZgMSh5nj1UsDuNNjh-4E5NA6yS3pxfeiDo3b4mHY8p-pzUuw_F_Z7JCuA9ZaQPfy32uVQRjKroHpk5YDPuta82iOgBIwIkYL2JHXZXdDmAFkmsL7vwNDR7HaSTpyf80cyH1IateIQUsOsuikHJ7FV20',
      dp: 'IDICGulLMpApXUf9CnBS2qSYE69CcRPgHszPb7aoh3Xzbvs3Qh_wcwNc-JYRv3AQcg4HVFqePNOXQvDu05Fu2u7hjH_j6epVTquTQPsZ01CKW5sLEhSIU6DF5X6U5nXFdbymFbViTzTPGIEqydkN1inke7H72I5BRFv2ZP8kqzk',
      dq: 'dD6uz9LhFcn9lFj_TWUjuho_sMstlOv4-UTYJK17sevjnVpAhPEcDmhvyOBJPCVFGKjreUi04asLSoECk8WILqZ4BnDyhBmari_wUf92d19N6jB6R5nrhX5FNiW4-OsBCf-1Jv4iUNNWE3AbqJEp743cnmfd7w1g0EQiRoLAeL0',
      qi: 'TGpN2YZKznjRwPqIEvI9XxT_C-yPRE9GVBxT3AAzBXRMSATfss4Pa1hZ24C7GfeL1jcUE0DLL1Rk_HwC1KGHvViIVh0zDJJGZpj-93wwGCL7nyXTYHgE5VQai54gewvqrapMf240T9O_RIwG9dgNVxmGyx2qyuU3usfxcXH7Eec',
    },
  },
]
