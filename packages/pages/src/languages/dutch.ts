import type { Messages, StandardScope } from './messages.ts'

export const dutch: Messages = {
  lang: 'nl',
  dir: 'ltr',
  unnamedClient: 'Een app zonder naam',
  consent: {
    title: 'Toegang toestaan?',
    heading: '{client} wil uw account gebruiken',
    unverified: 'De app noemt zichzelf {client}. Deze naam is niet gecontroleerd; alleen {host} staat vast.',
    deviceWarning:
      'Elk programma op dit apparaat kan deze naam gebruiken. Sta de toegang alleen toe als u het programma zojuist zelf hebt gestart.',
    signedInAs: 'Aangemeld als {account}',
    scopesLegend: 'Gevraagde toegang:',
    detailsLegend: 'Ter goedkeuring:',
    organizationsLegend: 'Voor welke organisatie?',
    alwaysIncluded: 'Hoort altijd bij het aanmelden',
    grantedBefore: 'Dit hebt u eerder toegestaan',
    resources: 'Deze toegang geldt voor {names}',
    destination: {
      website: 'In alle gevallen gaat u daarna naar {name}',
      device: 'In alle gevallen gaat u daarna naar een programma op dit apparaat ({name})',
      app: 'In alle gevallen gaat u daarna naar de app op dit apparaat die bekendstaat als {name}',
    },
    deny: 'Weigeren',
    allow: 'Toestaan',
    scopes: {
      openid: 'Weten wie u bent',
      profile: 'Uw naam en profiel bekijken',
      email: 'Uw e-mailadres bekijken',
      address: 'Uw postadres bekijken',
      phone: 'Uw telefoonnummer bekijken',
      offline_access: 'Toegang houden wanneer u er niet bent',
      organization: 'Weten voor welke organisatie u bent aangemeld',
    } satisfies Readonly<Record<StandardScope, string>>,
  },
  signIn: {
    title: 'Aanmelden',
    toContinue: 'om door te gaan naar {client}',
    username: 'E-mailadres of gebruikersnaam',
    usernameHints: {
      directory: 'Beheert uw organisatie uw account? Vul dan eerst haar directory in: directory/naam',
    },
    password: 'Wachtwoord',
    submit: 'Aanmelden',
    errorTitle: 'U bent niet aangemeld',
    errors: {
      rejected: 'Geen account komt overeen met deze naam en dit wachtwoord. Controleer beide en probeer het opnieuw.',
      incomplete: 'Vul beide velden in en probeer het opnieuw.',
      throttled: 'Er waren te veel pogingen. Wacht een paar minuten en probeer het opnieuw.',
    },
  },
  error: {
    title: 'Er is iets misgegaan',
    advice:
      'Ga terug naar de app waar u vandaan kwam en begin opnieuw. Helpt dat niet, neem dan contact op met de beheerders van die app.',
    codeLabel: 'Foutcode',
  },
  logout: {
    title: 'Afmelden?',
    askedBy: '{client} vraagt u om u af te melden',
    signedInAs: 'Aangemeld als {account}',
    signOut: 'Afmelden',
    stay: 'Aangemeld blijven',
  },
  signedOut: {
    title: 'U bent afgemeld',
    text: 'U kunt dit venster sluiten.',
    goOn: 'Doorgaan',
  },
  stillSignedIn: {
    title: 'U bent nog aangemeld',
    text: 'U kunt dit venster sluiten.',
  },
  account: {
    title: 'Uw account',
    appsHeading: 'Gekoppelde apps',
    noApps: 'Geen enkele app heeft toegang tot uw account.',
    appSince: 'Gekoppeld op {date}',
    disconnect: 'Ontkoppelen',
    sessionsHeading: 'Waar u bent aangemeld',
    thisBrowser: 'Deze browser',
    unknownBrowser: 'Onbekende browser',
    sessionTimes: 'Aangemeld op {since}, laatst gebruikt op {used}',
    sessionApps: 'Aangemeld bij {names}',
    endSession: 'Afmelden',
    endOthers: 'Overal elders afmelden',
  },
}
