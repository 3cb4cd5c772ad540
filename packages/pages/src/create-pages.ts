import { anObject, checkOptions, listOf } from '@mintmark/internal'
import { accountPage } from './account.ts'
import { type BrandingOptions, createBrand } from './branding.ts'
import { consentPage } from './consent.ts'
import { checkLanguages } from './languages/check-languages.ts'
import { english } from './languages/english.ts'
import type { Messages } from './languages/messages.ts'
import { logoutPage, signedOutPage } from './logout.ts'
import { errorPage } from './notices.ts'
import { selectAccountPage } from './select-account.ts'
import { signInPage } from './sign-in.ts'

/** How all pages of a host look. */
export interface PagesOptions {
  /**
   * The languages that the pages choose from: those of `@mintmark/pages/languages`, changed ones and the host's own. The first is
   * for users who prefer none of them.
   * @defaultValue English. A catalogue that nobody imports is not bundled.
   */
  readonly languages?: readonly Messages[] | undefined
  /**
   * Name, logo, colours and links of the product.
   * @defaultValue Pages without a name, in green. Only the host knows its product.
   */
  readonly branding?: BrandingOptions | undefined
}

/** The pages of one host. */
export interface Pages {
  readonly signInPage: typeof signInPage
  readonly consentPage: typeof consentPage
  readonly selectAccountPage: typeof selectAccountPage
  readonly accountPage: typeof accountPage
  readonly errorPage: typeof errorPage
  readonly logoutPage: typeof logoutPage
  readonly signedOutPage: typeof signedOutPage
  /** The tags of the languages (BCP 47), for the option `discovery.uiLocales` of the server. */
  readonly locales: readonly string[]
}

/**
 * The pages, made to look as the host wants. Without options they are those that this package exports.
 * @throws TypeError for an unknown option, and for a catalogue that lacks a text or a placeholder, has one too many, or is for
 *   a language that another is for; for branding that is impossible, or whose colours have too little contrast.
 */
export function createPages(options: PagesOptions = {}): Pages {
  checkOptions('createPages', options, { languages: listOf(anObject), branding: anObject })
  const { languages = [english], branding } = options
  checkLanguages(languages)
  const look = { languages, brand: branding && createBrand(branding) }
  return {
    signInPage: (input, request) => signInPage({ ...look, ...input }, request),
    consentPage: (input, request) => consentPage({ ...look, ...input }, request),
    selectAccountPage: (input, request) => selectAccountPage({ ...look, ...input }, request),
    accountPage: (input, request) => accountPage({ ...look, ...input }, request),
    errorPage: (input, request) => errorPage({ ...look, ...input }, request),
    logoutPage: (content, request) => logoutPage({ ...look, ...content }, request),
    signedOutPage: (language, request) => signedOutPage({ ...look, ...language }, request),
    locales: languages.map(({ lang }) => lang),
  }
}
