import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Base64;
import java.util.Objects;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An API with the resource server of Spring Security, for access tokens of RFC 9068. */
@Configuration
@EnableAutoConfiguration
@RestController
public class Client {
  private static final HttpClient http = HttpClient.newHttpClient();
  private static final String resource = "https://api.test";

  public static void main(String[] arguments) {
    System.setProperty("server.port", System.getenv("PORT"));
    SpringApplication.run(Client.class);
    Checks.report("accepts an access token for its audience", () -> {
      Checks.expect(200, statusOf(accessToken("&resource=" + encode(resource))));
    });
    Checks.report("rejects an access token for another audience", () -> {
      String token = accessToken("&resource=" + encode(resource));
      Checks.expectException(JwtException.class, () -> decoderFor("https://other.test").decode(token));
    });
    Checks.report("rejects a token whose signature was changed", () -> {
      String token = accessToken("&resource=" + encode(resource));
      int last = token.lastIndexOf('.') + 1;
      char changed = token.charAt(last) == 'A' ? 'B' : 'A';
      Checks.expect(401, statusOf(token.substring(0, last) + changed + token.substring(last + 1)));
    });
    System.exit(0);
  }

  // #region decoder
  @Bean
  JwtDecoder jwtDecoder() {
    return decoderFor("https://api.test");
  }

  private static JwtDecoder decoderFor(String audience) {
    String issuer = System.getenv("ISSUER");
    NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
    decoder.setJwtValidator(
        JwtValidators.createAtJwtValidator()
            .issuer(issuer)
            .audience(audience)
            // Any client of the issuer may call this API.
            .validators(all -> all.put("client_id", new JwtClaimValidator<>("client_id", Objects::nonNull)))
            .build());
    return decoder;
  }
  // #endregion decoder

  @GetMapping("/me")
  String me(Principal principal) {
    return principal.getName();
  }

  private static int statusOf(String token) throws Exception {
    URI address = URI.create("http://localhost:" + System.getenv("PORT") + "/me");
    var request = HttpRequest.newBuilder(address).header("Authorization", "Bearer " + token).build();
    return http.send(request, BodyHandlers.ofString()).statusCode();
  }

  private static String accessToken(String parameters) throws Exception {
    String credentials = System.getenv("MACHINE_ID") + ":" + System.getenv("MACHINE_SECRET");
    var request =
        HttpRequest.newBuilder(URI.create(System.getenv("ISSUER") + "/token"))
            .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes()))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString("grant_type=client_credentials&scope=api.read" + parameters))
            .build();
    String body = http.send(request, BodyHandlers.ofString()).body();
    if (!body.contains("access_token")) throw new AssertionError(body);
    return (String) JsonParserFactory.getJsonParser().parseMap(body).get("access_token");
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
