import com.fasterxml.jackson.databind.ObjectMapper;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jwt.JWTParser;
import java.time.Duration;
import java.util.Map;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizationContext;
import org.springframework.security.oauth2.client.OAuth2AuthorizeRequest;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientProviderBuilder;
import org.springframework.security.oauth2.client.TokenExchangeOAuth2AuthorizedClientProvider;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.endpoint.NimbusJwtClientAuthenticationParametersConverter;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizedClientRepository;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.OAuth2Token;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** A web application with Spring Security's client. */
@Configuration
@EnableAutoConfiguration
@RestController
public class Client {
  public static void main(String[] arguments) {
    String registration = "spring.security.oauth2.client.registration.mintmark.";
    System.setProperty("server.port", System.getenv("PORT"));
    System.setProperty("spring.security.oauth2.client.provider.mintmark.issuer-uri", System.getenv("ISSUER"));
    System.setProperty(registration + "client-id", System.getenv("CLIENT_ID"));
    System.setProperty(registration + "client-secret", System.getenv("CLIENT_SECRET"));
    System.setProperty(registration + "scope", "openid,profile,offline_access");
    registration = "spring.security.oauth2.client.registration.jwt.";
    System.setProperty(registration + "provider", "mintmark");
    System.setProperty(registration + "client-id", System.getenv("JWT_CLIENT_ID"));
    System.setProperty(registration + "client-authentication-method", "private_key_jwt");
    System.setProperty(registration + "scope", "openid,profile");
    registration = "spring.security.oauth2.client.registration.exchange.";
    System.setProperty(registration + "provider", "mintmark");
    System.setProperty(registration + "client-id", System.getenv("CLIENT_ID"));
    System.setProperty(registration + "client-secret", System.getenv("CLIENT_SECRET"));
    System.setProperty(registration + "authorization-grant-type", AuthorizationGrantType.TOKEN_EXCHANGE.getValue());
    SpringApplication.run(Client.class);
    Checks.report("signs a user in with private_key_jwt", () -> {
      Checks.expect("U1", open("/oauth2/authorization/jwt").get("sub"));
    });
    Checks.report("signs a user in with a secret; the ID token's signature and nonce are valid", () -> {
      Map<String, Object> page = open("/oauth2/authorization/mintmark");
      Checks.expect("U1", page.get("sub"));
    });
    Checks.report("calls userinfo", () -> Checks.expect("Ann Lee", open("/").get("name")));
    Checks.report("exchanges the user's token for one for an API", () -> {
      Checks.expect("[https://api.test]", open("/exchange").get("aud"));
    });
    Checks.report("exchanges a JWT that it got as an API, whose type it calls jwt", () -> {
      Checks.expect("[https://api.test]", open("/exchange?as=jwt").get("aud"));
    });
    Checks.report("refreshes and gets a new refresh token", () -> Checks.expect(true, open("/refresh").get("renewed")));
    Checks.report("ends its session when it gets a logout token through the back channel", () -> {
      String session = (String) open("/").get("sid");
      Map<?, ?> report = new ObjectMapper().readValue(Checks.end(session), Map.class);
      Checks.expect(1, report.get("delivered"));
      Checks.expect(false, Checks.visit("http://localhost:" + System.getenv("PORT") + "/").contains("Ann Lee"));
    });
    System.exit(0);
  }

  @Autowired private ClientRegistrationRepository registrations;
  @Autowired private OAuth2AuthorizedClientRepository clients;

  /** The default configuration, with back-channel logout. */
  @Bean
  SecurityFilterChain security(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
        .oauth2Login(Customizer.withDefaults())
        .oauth2Client(Customizer.withDefaults())
        .oidcLogout(logout -> logout.backChannel(Customizer.withDefaults()))
        .build();
  }

  /** Shows claims of the ID token, and the name from userinfo. */
  @GetMapping(path = "/", produces = "text/html")
  String home(@AuthenticationPrincipal OidcUser user) throws Exception {
    return json(Map.of("sub", user.getIdToken().getSubject(), "sid", user.getIdToken().getClaim("sid"), "name", user.getUserInfo().getClaim("name")));
  }

  /** Treats every token as expired, so that each use refreshes it. */
  @GetMapping(path = "/refresh", produces = "text/html")
  String refresh(
      @RegisteredOAuth2AuthorizedClient("mintmark") OAuth2AuthorizedClient client, Authentication authentication)
      throws Exception {
    var manager = new DefaultOAuth2AuthorizedClientManager(registrations, clients);
    manager.setAuthorizedClientProvider(
        OAuth2AuthorizedClientProviderBuilder.builder()
            .refreshToken(refresh -> refresh.clockSkew(Duration.ofDays(1)))
            .build());
    var request = OAuth2AuthorizeRequest.withAuthorizedClient(client).principal(authentication).build();
    String before = client.getRefreshToken().getTokenValue();
    return json(Map.of("renewed", !before.equals(manager.authorize(request).getRefreshToken().getTokenValue())));
  }

  /** Exchanges the access token of the user, as the client that got it or as an API that verified it (RFC 8693). */
  @GetMapping(path = "/exchange", produces = "text/html")
  String exchange(
      @RegisteredOAuth2AuthorizedClient("mintmark") OAuth2AuthorizedClient client,
      Authentication authentication,
      @RequestParam(name = "as", defaultValue = "") String form)
      throws Exception {
    String own = client.getAccessToken().getTokenValue();
    OAuth2Token verified = Jwt.withTokenValue(own).header("typ", "at+jwt").subject("U1").build();
    var provider = new TokenExchangeOAuth2AuthorizedClientProvider();
    provider.setSubjectTokenResolver(context -> form.equals("jwt") ? verified : client.getAccessToken());
    var request = OAuth2AuthorizationContext.withClientRegistration(registrations.findByRegistrationId("exchange"))
        .principal(authentication)
        .build();
    String token = provider.authorize(request).getAccessToken().getTokenValue();
    return json(Map.of("aud", JWTParser.parse(token).getJWTClaimsSet().getAudience().toString()));
  }

  /** Signs assertions. Their audience is the token endpoint; this version has no option for another audience. */
  @Bean
  RestClientAuthorizationCodeTokenResponseClient tokenResponseClient() throws Exception {
    JWK key = JWK.parse(System.getenv("JWT_KEY"));
    var client = new RestClientAuthorizationCodeTokenResponseClient();
    client.addParametersConverter(new NimbusJwtClientAuthenticationParametersConverter<>(registration -> key));
    return client;
  }

  private static String json(Map<String, Object> value) throws Exception {
    return new ObjectMapper().writeValueAsString(value);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> open(String path) throws Exception {
    String json = Checks.visit("http://localhost:" + System.getenv("PORT") + path);
    Map<String, Object> page = new ObjectMapper().readValue(json, Map.class);
    String text = (String) page.get("text");
    if (!text.startsWith("{")) throw new AssertionError(page.get("url") + " " + page.get("status"));
    return new ObjectMapper().readValue(text, Map.class);
  }
}
