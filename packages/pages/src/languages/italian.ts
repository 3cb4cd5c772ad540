import type { Messages, StandardScope } from './messages.ts'

export const italian: Messages = {
  lang: 'it',
  dir: 'ltr',
  unnamedClient: 'Un’applicazione senza nome',
  consent: {
    title: 'Consentire l’accesso?',
    heading: '{client} vuole utilizzare il tuo account',
    unverified: 'L’applicazione si presenta come {client}. Questo nome non è verificato; solo {host} è certo.',
    deviceWarning:
      'Qualsiasi programma su questo dispositivo potrebbe usare questo nome. Consenti l’accesso solo se hai appena avviato tu stesso il programma.',
    signedInAs: 'Accesso effettuato come {account}',
    scopesLegend: 'Accesso richiesto:',
    detailsLegend: 'Da approvare:',
    organizationsLegend: 'Per quale organizzazione?',
    alwaysIncluded: 'Sempre incluso nell’accesso',
    grantedBefore: 'Già consentito in precedenza',
    resources: 'Questo accesso riguarda {names}',
    destination: {
      website: 'In ogni caso, passerai poi a {name}',
      device: 'In ogni caso, passerai poi a un programma su questo dispositivo ({name})',
      app: 'In ogni caso, passerai poi all’app su questo dispositivo identificata da {name}',
    },
    otherDevice: 'In ogni caso la risposta arriva al dispositivo che mostra il codice',
    links: {
      legend: 'Pagine di questa applicazione:',
      website: 'Sito web',
      policy: 'Informativa sulla privacy',
      terms: 'Termini di servizio',
    },
    deny: 'Rifiuta',
    allow: 'Consenti',
    scopes: {
      openid: 'Sapere chi sei',
      profile: 'Vedere il tuo nome e il tuo profilo',
      email: 'Vedere il tuo indirizzo e-mail',
      address: 'Vedere il tuo indirizzo postale',
      phone: 'Vedere il tuo numero di telefono',
      offline_access: 'Mantenere l’accesso quando non ci sei',
      organization: 'Sapere per quale organizzazione hai effettuato l’accesso',
    } satisfies Readonly<Record<StandardScope, string>>,
  },
  signIn: {
    title: 'Accedi',
    toContinue: 'per continuare su {client}',
    username: 'E-mail o nome utente',
    usernameHints: {
      directory:
        'Il tuo account è gestito dalla tua organizzazione? Inserisci prima il nome della sua directory: directory/nome',
    },
    password: 'Password',
    submit: 'Accedi',
    cancel: 'Annulla',
    forgotPassword: 'Password dimenticata?',
    createAccount: 'Crea un account',
    errorTitle: 'Accesso non riuscito',
    errors: {
      rejected: 'Nessun account corrisponde a questo nome e a questa password. Controllali e riprova.',
      incomplete: 'Compila entrambi i campi e riprova.',
      throttled: 'Troppi tentativi. Attendi qualche minuto e riprova.',
    },
  },
  selectAccount: {
    title: 'Scegli un account',
    continueAs: 'Continua come {account}',
    another: 'Usa un altro account',
  },
  error: {
    title: 'Si è verificato un errore',
    advice:
      'Torna all’applicazione da cui provieni e ricomincia. Se il problema persiste, contatta chi gestisce l’applicazione.',
    codeLabel: 'Codice di errore',
    referenceLabel: 'Riferimento',
  },
  device: {
    enterTitle: 'Collega un dispositivo',
    enterText: 'Inserisci il codice mostrato dal tuo dispositivo.',
    code: 'Codice',
    submit: 'Continua',
    problems: {
      unknown:
        'Al momento nessun dispositivo mostra questo codice. Controlla il codice o ricomincia sul tuo dispositivo.',
      throttled: 'Sono stati inseriti troppi codici errati. Riprova tra dieci minuti.',
    },
    confirmTitle: 'È il tuo dispositivo?',
    confirmText: '{client} vuole usare il tuo account su un dispositivo che mostra questo codice:',
    warning:
      'Continua solo se il dispositivo è davanti a te e se hai iniziato tu l’accesso. Se qualcuno ti ha inviato questo codice o questo link, fermati.',
    askedFrom: 'La richiesta proviene da {place}',
    scopesLegend: 'Il dispositivo chiede di',
    stop: 'No, interrompi',
    goOn: 'Sì, continua',
    approved: {
      title: 'Dispositivo collegato',
      text: '{client} ha ora accesso sul tuo dispositivo. Puoi chiudere questa pagina.',
    },
    denied: {
      title: 'Non è stato collegato nulla',
      text: '{client} non ha ottenuto l’accesso. Puoi chiudere questa pagina.',
    },
  },
  logout: {
    title: 'Uscire dall’account?',
    askedBy: '{client} ti chiede di uscire dall’account',
    signedInAs: 'Accesso effettuato come {account}',
    signOut: 'Esci',
    stay: 'Resta connesso',
  },
  signedOut: {
    title: 'Sei uscito dall’account',
    text: 'Puoi chiudere questa finestra.',
    goOn: 'Continua',
  },
  stillSignedIn: {
    title: 'Sei ancora connesso',
    text: 'Puoi chiudere questa finestra.',
  },
  account: {
    title: 'Il tuo account',
    appsHeading: 'Applicazioni collegate',
    noApps: 'Nessuna applicazione ha accesso al tuo account.',
    appSince: 'Collegata il {date}',
    disconnect: 'Scollega',
    sessionsHeading: 'Dove hai effettuato l’accesso',
    thisBrowser: 'Questo browser',
    unknownBrowser: 'Browser sconosciuto',
    sessionTimes: 'Accesso il {since}, ultimo utilizzo il {used}',
    sessionApps: 'Accesso effettuato a {names}',
    endSession: 'Esci',
    endOthers: 'Esci da tutte le altre sessioni',
  },
}
