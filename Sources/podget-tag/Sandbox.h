#pragma once

/// Lets the kernel refuse all calls that the program does not need from now on. A file that is only
/// looked at could be opened for writing otherwise, by the name of its descriptor. Where the kernel
/// cannot do that, the other limits remain.
void refuseOtherCalls();
