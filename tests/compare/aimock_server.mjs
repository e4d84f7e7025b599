// An A2A mock made with @copilotkit/aimock that answers every message with a finished task.
import { A2AMock } from "@copilotkit/aimock";

const mock = new A2AMock({ port: Number(process.argv[2]) });
mock.registerAgent({ name: "aimock", description: "Says done.", version: "1.0.0", skills: [] });
mock.onTask("aimock", /.*/, [{ artifactId: "a", parts: [{ text: "done" }] }]);
console.log(await mock.start());
