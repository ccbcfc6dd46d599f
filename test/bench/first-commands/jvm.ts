import { type FirstCommand, file } from "./first-command.ts";

const JAVA_MAIN = file(
	"src/main/java/Main.java",
	"public class Main { public static void main(String[] a) { System.out.println(1); } }",
);
const PLUGINS = { resources: "3.3.1", compiler: "3.13.0", surefire: "3.2.5", jar: "3.4.1", install: "3.1.2" };
const POM = file(
	"pom.xml",
	"<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>project</artifactId><version>1</version>",
	"<properties><maven.compiler.release>17</maven.compiler.release><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>",
	"<build><plugins>",
	...Object.entries(PLUGINS).map(
		([name, version]) => `<plugin><artifactId>maven-${name}-plugin</artifactId><version>${version}</version></plugin>`,
	),
	"</plugins></build></project>",
);
export const JVM_COMMANDS: readonly FirstCommand[] = [
	{
		toolchain: "JDK",
		version: "javac -version 2>&1",
		prepare: JAVA_MAIN,
		command: "javac -d out src/main/java/Main.java && java -cp out Main",
	},
	{
		toolchain: "Maven, repository in ~/.m2",
		version: "mvn -B --version | grep -o 'Apache Maven [0-9.]*'",
		prepare: `${JAVA_MAIN}${POM} mvn -q -o package && rm -r target`,
		command: "mvn -q -o package && test -f target/project-1.jar",
	},
	{
		toolchain: "Maven, installing to ~/.m2",
		version: "mvn -B --version | grep -o 'Apache Maven [0-9.]*'",
		prepare: `${JAVA_MAIN}${POM}`,
		command: "mvn -q -o install",
	},
	{
		toolchain: "Gradle, cache in ~/.gradle",
		version: "gradle --version 2>/dev/null | grep '^Gradle'",
		prepare: `${JAVA_MAIN} echo "apply plugin: 'java'" > build.gradle && gradle -q build && rm -r build`,
		command: "gradle -q --offline build",
	},
	{
		toolchain: "Ant",
		version: "ant -version | cut -d' ' -f4",
		prepare: `${JAVA_MAIN}${file("build.xml", "<project default='all'><target name='all'><javac srcdir='src' destdir='.' includeantruntime='false'/></target></project>")}`,
		command: "ant -q",
	},
	{ toolchain: ".NET", version: "dotnet --version", prepare: "dotnet new console", command: "dotnet build" },
];
